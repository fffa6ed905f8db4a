// SPDX-License-Identifier: BSD-3-Clause
#include "routing/chooser.hpp"

#include <gtest/gtest.h>

#include <string>

#include "halocline/error.hpp"
#include "support/seeded.hpp"

namespace halocline::routing {
namespace {

Verdict random_answer(test::Seeded& random) {
  return Verdict::of(random.chance(50), "reason " + std::to_string(random.between(0, 2)));
}

PairFacts random_facts(test::Seeded& random) {
  PairFacts facts;
  facts.same_node = random.chance(60);
  facts.same_rank = facts.same_node && random.chance(50);
  facts.same_device = facts.same_rank && random.chance(30);
  facts.peer_access = random_answer(random);
  facts.mapped = random_answer(random);
  facts.exportable = random_answer(random);
  facts.device_mpi = random_answer(random);
  facts.direct_safe = random_answer(random);
  facts.nccl = random_answer(random);
  facts.mpi = random.chance(90);
  facts.storable = random_answer(random);
  for (const Transport transport : all_transports) {
    if (random.chance(80)) facts.measured.emplace_back(transport, static_cast<double>(random.between(1, 3)));
  }
  return facts;
}

std::string answer_of(auto&& choose) {
  try {
    const Route route = choose();
    return std::to_string(route.from.value()) + " " + std::to_string(route.to.value()) + " " +
           std::string(to_string(route.transport)) + " " + route.reason;
  } catch (const CapabilityError& error) {
    return error.what();
  }
}

// A new chooser cannot have cached anything: its answers are the reference.
TEST(Chooser, AnswersAsOneThatHasSeenNothing) {
  test::Seeded random(5);
  for (int round = 0; round < 20; ++round) {
    Policy policy = Policy::parse(random.chance(50) ? "-direct" : "direct,mpi_staged,mpi_device,ipc_copy,peer_copy");
    for (int i = 0; i < 6; ++i) {
      policy.exceptions.push_back({subdomain_id(random.between(0, 4)), subdomain_id(random.between(0, 4)),
                                   all_transports.at(static_cast<std::size_t>(random.between(0, 5)))});
    }
    std::vector<PairFacts> facts;
    for (int i = 0; i < 30; ++i) facts.push_back(random_facts(random));
    // Facts that differ in one item only.
    for (int i = 0; i < 30; ++i) {
      PairFacts other = facts[static_cast<std::size_t>(i)];
      switch (i % 12) {
        case 0: other.same_node = !other.same_node; break;
        case 1: other.same_rank = !other.same_rank; break;
        case 2: other.same_device = !other.same_device; break;
        case 3: other.mpi = !other.mpi; break;
        case 4: other.peer_access.yes = !other.peer_access.yes; break;
        case 5: other.mapped.why_not += "!"; break;
        case 6: other.exportable.yes = !other.exportable.yes; break;
        case 7: other.device_mpi.why_not += "!"; break;
        case 8: other.direct_safe.yes = !other.direct_safe.yes; break;
        case 10: other.nccl.yes = !other.nccl.yes; break;
        case 9: other.storable.yes = !other.storable.yes; break;
        default: other.measured.clear();
      }
      facts.push_back(other);
    }
    Chooser chooser(policy);
    for (int i = 0; i < 1000; ++i) {
      // Few at a time, so that some are cached and some have been evicted.
      const auto which = static_cast<std::size_t>((i / 50 + random.between(0, 3) * 30) % 60);
      const subdomain_id from(random.between(0, 4));
      const subdomain_id to(random.between(0, 4));
      ASSERT_EQ(answer_of([&] { return chooser.choose(from, to, facts[which]); }),
                answer_of([&] { return choose(from, to, facts[which], policy); }));
    }
  }
}

}  // namespace
}  // namespace halocline::routing
