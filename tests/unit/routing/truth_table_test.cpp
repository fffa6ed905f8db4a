// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "halocline/error.hpp"
#include "routing/choose.hpp"

// Every combination of the facts against every set of allowed transports: 2^13 x 2^8 cases.
namespace halocline::routing {
namespace {

using testing::HasSubstr;
using enum Transport;

constexpr int fact_bits = 13;
constexpr int policy_bits = static_cast<int>(all_transports.size());

PairFacts facts_of(int bits) {
  const auto bit = [bits](int i) { return ((bits >> i) & 1) != 0; };
  const auto answer = [&](int i, const char* what) { return Verdict::of(bit(i), std::string("because of ") + what); };
  PairFacts facts;
  facts.same_subdomain = bit(0);
  facts.same_rank = bit(1);
  facts.same_node = bit(2);
  facts.same_device = bit(3);
  facts.peer_access = answer(4, "peer_access");
  facts.mapped = answer(5, "mapped");
  facts.exportable = answer(6, "exportable");
  facts.device_mpi = answer(7, "device_mpi");
  facts.direct_safe = answer(8, "direct_safe");
  facts.mpi = bit(9);
  facts.storable = answer(10, "storable");
  facts.nccl = answer(11, "nccl");
  facts.shares_load_store = bit(12);
  return facts;
}

Policy policy_of(int bits, bool reversed) {
  Policy policy;
  policy.order.clear();
  for (const Transport transport : all_transports) {
    if (((bits >> static_cast<int>(transport)) & 1) != 0) policy.order.push_back(transport);
  }
  if (reversed) std::reverse(policy.order.begin(), policy.order.end());
  return policy;
}

/// The rules of the transports, written independently in the simplest form.
bool expected(Transport transport, const PairFacts& f) {
  const bool rank = f.same_rank || f.same_subdomain;
  const bool device = f.same_device || f.same_subdomain;
  switch (transport) {
    case self: return f.same_subdomain;
    case direct:
      if (!f.direct_safe.yes) return false;
      if (rank) return device || f.peer_access.yes || f.mapped.yes;
      return !device && f.mapped.yes;
    case peer_copy: return rank;
    case ipc_copy: return !rank && f.mapped.yes;
    case mpi_device: return f.mpi && f.device_mpi.yes;
    case mpi_staged: return f.mpi;
    case net: return f.mpi && f.direct_safe.yes;
    case nccl: return !device && f.nccl.yes;
  }
  return false;
}

TEST(TruthTable, PossibleIsWhatTheTableSaysAndNoComesWithAReason) {
  for (int bits = 0; bits < (1 << fact_bits); ++bits) {
    const PairFacts facts = facts_of(bits);
    for (const Transport transport : all_transports) {
      const Verdict answer = possible(transport, facts);
      ASSERT_EQ(answer.yes, expected(transport, facts)) << to_string(transport) << ", facts " << bits;
      ASSERT_EQ(answer.yes, answer.why_not.empty()) << to_string(transport) << ", facts " << bits;
    }
  }
}

TEST(TruthTable, TheFirstThatIsAllowedAndPossibleIsChosenAndTheSameAtBothEnds) {
  int chosen = 0;
  int refused = 0;
  for (int bits = 0; bits < (1 << fact_bits); ++bits) {
    const PairFacts facts = facts_of(bits);
    for (int allowed = 0; allowed < (1 << policy_bits); ++allowed) {
      const Policy policy = policy_of(allowed, bits % 2 == 1);
      const auto first =
          std::find_if(policy.order.begin(), policy.order.end(), [&](Transport t) { return expected(t, facts); });
      try {
        const Route route = choose(subdomain_id(3), subdomain_id(5), facts, policy);
        ASSERT_NE(first, policy.order.end()) << "facts " << bits << ", policy " << allowed;
        ASSERT_EQ(route.transport, *first) << "facts " << bits << ", policy " << allowed;
        ASSERT_EQ(route.from, subdomain_id(3));
        ASSERT_EQ(route.to, subdomain_id(5));
        ASSERT_EQ(route.in_place, facts.same_device || facts.same_subdomain ||
                                      (facts.same_rank ? facts.storable.yes : facts.exportable.yes))
            << "facts " << bits;
        ASSERT_TRUE(route.reason.starts_with(std::string(to_string(*first)) + ": ")) << route.reason;
        const Route back = choose(subdomain_id(5), subdomain_id(3), facts, policy);
        ASSERT_EQ(back.transport, route.transport);
        ASSERT_EQ(back.reason, route.reason);
        ++chosen;
      } catch (const CapabilityError& error) {
        ASSERT_EQ(first, policy.order.end()) << error.what();
        ASSERT_THAT(error.what(), HasSubstr("3 -> 5"));
        for (const Transport transport : all_transports) {
          ASSERT_THAT(error.what(), HasSubstr(std::string(to_string(transport)) + ": "));
        }
        ++refused;
      }
    }
  }
  EXPECT_GT(chosen, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(TruthTable, WithMpiAndTheDefaultPolicyThereIsAlwaysAWay) {
  for (int bits = 0; bits < (1 << fact_bits); ++bits) {
    PairFacts facts = facts_of(bits);
    facts.mpi = true;
    ASSERT_NO_THROW(static_cast<void>(choose(subdomain_id(0), subdomain_id(1), facts, {})));
  }
}

TEST(TruthTable, WithoutSelfASubdomainStillReachesItself) {
  const Policy policy = Policy::parse("-self");
  for (int bits = 0; bits < (1 << fact_bits); ++bits) {
    PairFacts facts = facts_of(bits);
    facts.same_subdomain = true;
    const Transport transport = choose(subdomain_id(2), subdomain_id(2), facts, policy).transport;
    ASSERT_EQ(transport, facts.direct_safe.yes ? direct : peer_copy);
  }
}

}  // namespace
}  // namespace halocline::routing
