// SPDX-License-Identifier: BSD-3-Clause
// Collective calls in another order on one rank: all ranks get one error that names the calls, and nothing is changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "halocline/files.hpp"
#include "ranks.hpp"
#include "support/effort.hpp"
#include "support/temporary_folder.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;

/// A rank's domain, with files that are under way.
struct Rank {
  Rank(comm::RankGroup& comm, const std::string& folder, bool with_files)
      : domain({12, 12, 12}, Stencil::star(1), comm, options_with(nullptr, routing::Transport::ipc_copy, 20s)),
        path(folder) {
    FieldDescriptor field;
    field.name = "u";
    domain.add_field(field);
    if (!with_files) return;
    domain.realize();
    output = std::make_unique<Output>(domain, path + "/series.pvd");
    output->start(0, 0.0);
    checkpoints = std::make_unique<Checkpoints>(domain, path + "/checkpoints");
  }

  Domain domain;
  std::string path;
  std::unique_ptr<Output> output;
  std::unique_ptr<Checkpoints> checkpoints;
};

struct Call {
  std::string name;  ///< in the error
  std::function<void(Rank&)> make;
};

const std::vector<Call>& calls_before_plan() {
  static const std::vector<Call> all{
      {"plan()", [](Rank& rank) { rank.domain.plan(); }},
      {"tune()", [](Rank& rank) { rank.domain.tune("", 100ms); }},
  };
  return all;
}

const std::vector<Call>& calls() {
  static const std::vector<Call> all{
      {"accumulate()", [](Rank& rank) { rank.domain.accumulate(); }},
      {"measure()", [](Rank& rank) { static_cast<void>(rank.domain.measure([](const Subdomain&) {})); }},
      {"rebalance()", [](Rank& rank) { rank.domain.rebalance(); }},
      {"Output", [](Rank& rank) { const Output another(rank.domain, rank.path + "/another.pvd"); }},
      {"Output::finish()", [](Rank& rank) { rank.output->finish(); }},
      {"Checkpoints", [](Rank& rank) { const Checkpoints another(rank.domain, rank.path + "/another"); }},
      {"Checkpoints::start()", [](Rank& rank) { rank.checkpoints->start({}); }},
      {"Checkpoints::restore()", [](Rank& rank) { static_cast<void>(rank.checkpoints->restore()); }},
      {"close()", [](Rank& rank) { rank.domain.close(); }},
  };
  return all;
}

/// Three ranks, of which one makes another call. then: what the domain is good for afterwards.
void expect_both_named(const Call& most, const Call& other, std::int64_t odd, bool with_files,
                       const std::function<void(Rank&)>& then) {
  const TemporaryFolder folder;
  std::vector<Outcome> of_call(3);
  const auto all = outcomes(3, [&](comm::RankGroup& comm) {
    Rank rank(comm, folder.path().string(), with_files);
    Outcome& mine = of_call[comm.rank().index()];
    const auto begin = std::chrono::steady_clock::now();
    try {
      (comm.rank() == rank_id(odd) ? other : most).make(rank);
    } catch (const Error& error) {
      mine.kind = error.kind();
      mine.text = error.what();
    }
    mine.took = std::chrono::steady_clock::now() - begin;
    then(rank);
  });
  const std::string first = odd == 0 ? "rank 0: " + other.name + ", ranks 1, 2: " + most.name
                                     : "ranks 0, 1: " + most.name + ", rank 2: " + other.name;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(of_call[rank].text,
              "the ranks are in different collective calls (" + first + "); allowed is the same order on all ranks");
    EXPECT_EQ(of_call[rank].kind, ErrorKind::invalid_argument);
    EXPECT_LT(of_call[rank].took, 10s);
    EXPECT_EQ(all[rank].text, "");
  }
}

/// All pairs of the calls, and the rank that makes the second.
struct Pair {
  std::size_t most;
  std::size_t other;
  std::int64_t odd;
};

std::vector<Pair> pairs() {
  std::vector<Pair> all;
  int number = 0;
  for (std::size_t most = 0; most < calls().size(); ++most) {
    for (std::size_t other = 0; other < calls().size(); ++other) {
      if (most == other) continue;
      for (const std::int64_t odd : {0, 2}) {
        if (number++ % one_in == static_cast<int>(most) % one_in) all.push_back({most, other, odd});
      }
    }
  }
  return all;
}

class CallOrder : public testing::TestWithParam<Pair> {};

TEST_P(CallOrder, calls_that_differ_are_named_and_change_nothing) {
  const auto& [most, other, odd] = GetParam();
  expect_both_named(calls()[most], calls()[other], odd, true, [](Rank& rank) {
    rank.domain.exchange();
    rank.output->finish();
    rank.checkpoints->write({});
    rank.domain.accumulate();
    rank.domain.close();
  });
}

INSTANTIATE_TEST_SUITE_P(pairs, CallOrder, testing::ValuesIn(pairs()));

TEST(OrderOfCalls, plan_and_tune_differ) {
  for (const std::int64_t odd : {0, 2}) {
    for (const bool swapped : {false, true}) {
      const auto& all = calls_before_plan();
      expect_both_named(all[swapped ? 1 : 0], all[swapped ? 0 : 1], odd, false, [](Rank&) {});
    }
  }
}

/// realize() makes the plan that others asked for before.
TEST(OrderOfCalls, a_plan_may_be_made_by_realize) {
  const auto all = outcomes(3, [](comm::RankGroup& comm) {
    Rank rank(comm, "", false);
    if (comm.rank() == rank_id(1)) rank.domain.plan();
    rank.domain.realize();
    rank.domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

}  // namespace
}  // namespace halocline::test
