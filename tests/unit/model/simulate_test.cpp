// SPDX-License-Identifier: BSD-3-Clause
#include "model/simulate.hpp"
#include "machine/interconnect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "halocline/error.hpp"
#include "unit/model/simulate_support.hpp"

namespace halocline::model {
namespace {

using testing::HasSubstr;

TEST_F(Simulate, OneFlowTakesItsBytesAndItsLatency) {
  const Flow flow{at(0, device0), at(0, device1), 20'000'000};
  EXPECT_NEAR(ends({flow})[0], 1e-3 + 3e-6, near);
}

TEST_F(Simulate, TwoFlowsOnOneLinkShareIt) {
  const Flow flow{at(0, device0), at(0, device1), 20'000'000};
  Flow half = flow;
  half.bytes /= 2;
  const auto found = ends({flow, half});
  // Both run at half the rate until the shorter one has ended, after the time of a full one.
  EXPECT_NEAR(found[1], 1e-3 + 3e-6, near);
  EXPECT_NEAR(found[0], 1.5e-3 + 3e-6, near);
}

TEST_F(Simulate, AFlowOverTwoLinksTakesTheNarrower) {
  // memory 50, then PCIe 5 GB/s and 2 us
  EXPECT_NEAR(ends({{at(0, numa), at(0, device1), 10'000'000}})[0], 2e-3 + 2e-6, near);
}

TEST_F(Simulate, WhatANarrowLinkHoldsBackIsLeftToOthers) {
  // Both share memory -> package; the right one is limited to 5, the left one to 10 GB/s.
  const auto found = ends({{at(0, numa), at(0, device0), 10'000'000}, {at(0, numa), at(0, device1), 10'000'000}});
  EXPECT_NEAR(found[0], 1e-3 + 1e-6, near);
  EXPECT_NEAR(found[1], 2e-3 + 2e-6, near);
}

TEST_F(Simulate, LatenciesOfARouteAddUp) {
  // Device 0, package, card, 2 us, 2 us, card, package, device 1 of the other node; plus the flow's own latency.
  const std::vector<Flow> flows{{at(0, device0), at(1, device1), 0, 10e-6}};
  EXPECT_NEAR(ends(flows)[0], 10e-6 + 1e-6 + 4e-6 + 2e-6, near);
}

TEST_F(Simulate, AFlowsLatencyTakesNothingFromOthers) {
  // Equal shares from 2 ms on, independent of how long each flow waited.
  const Flow flow{at(0, device0), at(0, device1), 20'000'000};
  Flow late = flow;
  late.latency = 0.5e-3;
  const auto found = ends({flow, late});
  EXPECT_NEAR(found[0], 1.5e-3 + 3e-6, near);
  EXPECT_NEAR(found[1], 2e-3 + 3e-6, near);
}

TEST_F(Simulate, OppositeDirectionsDoNotShare) {
  const auto found = ends({{at(0, device0), at(0, device1), 20'000'000}, {at(0, device1), at(0, device0), 20'000'000}});
  EXPECT_NEAR(found[0], 1e-3 + 3e-6, near);
  EXPECT_NEAR(found[1], 1e-3 + 3e-6, near);
}

TEST_F(Simulate, ASharedResourceLimitsItsFlowsTogether) {
  const std::vector<SharedResource> rank{{"rank 0", 1 * giga}};
  const auto found = ends({{at(0, device0), at(0, device1), 1'000'000, 0, {0}},
                           {at(0, device1), at(0, device0), 1'000'000, 0, {0}},
                           {at(1, device1), at(1, device0), 1'000'000}},
                          rank);
  EXPECT_NEAR(found[0], 2e-3 + 3e-6, near);
  EXPECT_NEAR(found[1], 2e-3 + 3e-6, near);
  EXPECT_NEAR(found[2], 5e-5 + 3e-6, near);
}

TEST_F(Simulate, OfAResourceFlowsTakeByWeight) {
  // At equal rates, a byte of the first flow takes 1 and a byte of the second 4 of the resource: 0.2 GB/s each.
  const std::vector<SharedResource> core{{"core 0", 1 * giga, "core"}};
  const Flow first{at(0, device0), at(0, device1), 1'000'000, 0, {0}, {}, {1}};
  const Flow second{at(0, device1), at(0, device0), 1'000'000, 0, {0}, {}, {4}};
  const Simulated found = simulate(net, core, std::vector<Flow>{first, second});
  EXPECT_NEAR(found.ends[0], 5e-3 + 3e-6, near);
  EXPECT_NEAR(found.ends[1], 5e-3 + 3e-6, near);
  EXPECT_EQ(found.levels[0].level, "core");
  EXPECT_NEAR(found.levels[0].busy_seconds, 5e-3, near);
  EXPECT_EQ(found.levels[0].bytes, 2'000'000);
}

TEST_F(Simulate, WorkTakesOfResourcesAlone) {
  const std::vector<SharedResource> core{{"core 0", 1 * giga, "core"}};
  Flow work;
  work.bytes = 7'000;
  work.resources = {0};
  work.work = true;
  const Simulated found = simulate(net, core, std::vector<Flow>{work, work});
  EXPECT_NEAR(found.seconds, 14e-6, near);
  ASSERT_EQ(found.levels.size(), 1U);
  EXPECT_EQ(found.levels[0].bytes, 0);
  EXPECT_NEAR(found.levels[0].busy_seconds, 14e-6, near);
}

TEST_F(Simulate, WhatWaitsStartsWhenTheLastHasEnded) {
  const Flow flow{at(0, device0), at(0, device1), 20'000'000};
  Flow other{at(1, device0), at(1, device1), 40'000'000};
  Flow last = flow;
  last.after = {0, 1};
  const auto found = ends({flow, other, last});
  EXPECT_NEAR(found[1], 2e-3 + 3e-6, near);
  EXPECT_NEAR(found[2], 3e-3 + 6e-6, near);
}

TEST_F(Simulate, WhatIsListedTwiceCountsOnce) {
  const std::vector<SharedResource> rank{{"rank 0", 1 * giga}};
  const Flow first{at(0, device0), at(0, device1), 1'000'000, 0, {0, 0}};
  const Flow second{at(0, device0), at(0, device1), 1'000'000, 0, {}, {0, 0}};
  const Simulated found = simulate(net, rank, std::vector<Flow>{first, second});
  EXPECT_NEAR(found.ends[0], 1e-3 + 3e-6, near);
  EXPECT_NEAR(found.ends[1], 1e-3 + 3e-6 + 5e-5 + 3e-6, near);
  EXPECT_EQ(found.levels[0].bytes, 1'000'000);
}

TEST_F(Simulate, NothingTakesNoTime) {
  const Simulated none = simulate(net, {}, {});
  EXPECT_EQ(none.seconds, 0);
  EXPECT_TRUE(none.levels.empty());
  // A path from a place to itself without any link.
  EXPECT_NEAR(ends({{at(0, 0), at(0, 0), 1'000'000}})[0], 0, near);
}

/// Flows of many sizes between all devices of three nodes, in stages.
std::vector<Flow> tangle() {
  std::vector<Flow> flows;
  for (int from = 0; from < 6; ++from) {
    for (int to = 0; to < 6; ++to) {
      Flow flow{at(from / 2, device0 + from % 2), at(to / 2, device0 + to % 2), 100'003 * (7 * from + to + 1)};
      if (to > 0) flow.after = {6 * from + to - 1};
      if (to % 3 == 0) flow.after.clear();
      flow.latency = to * 1e-6;
      flows.push_back(flow);
    }
  }
  return flows;
}

TEST_F(Simulate, TheOrderOfFlowsDoesNotMatter) {
  const std::vector<Flow> flows = tangle();
  const Simulated straight = simulate(net, {}, flows);
  std::vector<Flow> turned(flows.rbegin(), flows.rend());
  const auto mirrored = [&](int f) { return static_cast<int>(flows.size()) - 1 - f; };
  for (Flow& flow : turned) {
    for (int& before : flow.after) before = mirrored(before);
  }
  const Simulated reversed = simulate(net, {}, turned);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    EXPECT_NEAR(straight.ends[f], reversed.ends[flows.size() - 1 - f], near) << f;
  }
  ASSERT_EQ(straight.levels.size(), reversed.levels.size());
  for (std::size_t l = 0; l < straight.levels.size(); ++l) {
    EXPECT_EQ(straight.levels[l].busiest, reversed.levels[l].busiest);
  }
}

TEST_F(Simulate, TwoSimulationsInOneProcessAreEqual) {
  const std::vector<Flow> flows = tangle();
  EXPECT_EQ(ends(flows), ends(flows));
}

TEST_F(Simulate, RoundsMomentsOfVeryManyFlowsALittle) {
  // Flows of all sizes from 1,000 to 20,999 bytes on one link: each end is known.
  std::vector<Flow> flows;
  constexpr int many = 20'000;
  for (int f = 0; f < many; ++f) flows.push_back({at(0, device0), at(0, device1), 1'000 + f});
  const Simulated found = simulate(net, {}, flows);
  double bytes = 1'000.0 * many;
  double end = bytes / (20 * giga);
  const double seconds = (1'000.0 + (many - 1) / 2.0) * many / (20 * giga);
  for (int f = 0; f < many; ++f) {
    ASSERT_NEAR(found.ends[static_cast<std::size_t>(f)], end + 3e-6, 2e-5 * seconds) << f;
    end += (many - 1 - f) / (20 * giga);
  }
}

TEST_F(Simulate, LevelsSayWhatIsBusiest) {
  const std::vector<SharedResource> rank{{"rank 7", 4 * giga}};
  const Simulated found = simulate(net, rank,
                                   std::vector<Flow>{{at(0, device0), at(0, device1), 20'000'000, 0, {0}},
                                                     {at(1, device1), at(1, device0), 40'000'000}});
  ASSERT_EQ(found.levels.size(), 2U);
  EXPECT_EQ(found.levels[0].level, "rank");
  EXPECT_EQ(found.levels[0].busiest, "rank 7");
  EXPECT_DOUBLE_EQ(found.levels[0].busy_seconds, 5e-3);
  EXPECT_EQ(found.levels[1].level, "nvlink");
  EXPECT_EQ(found.levels[1].used, 2);
  EXPECT_EQ(found.levels[1].bytes, 60'000'000);
  EXPECT_EQ(found.levels[1].busiest, "node1: right -> left");
  EXPECT_DOUBLE_EQ(found.levels[1].busy_seconds, 2e-3);
  EXPECT_NEAR(found.seconds, 5e-3 + 3e-6, near);
}

std::string refusal_of(const std::vector<Flow>& flows, const std::vector<SharedResource>& resources = {}) {
  try {
    (void)simulate(Interconnect(map_of(1, 1)), resources, flows);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing";
}

TEST_F(Simulate, SaysWhatDoesNotFit) {
  const Flow flow{at(0, device0), at(0, device1), 1};
  Flow bad = flow;
  bad.bytes = -1;
  EXPECT_EQ(refusal_of({flow, bad}), "bytes of flow 1 are -1; allowed is 0 or more");
  bad = flow;
  bad.resources = {1};
  EXPECT_EQ(refusal_of({bad}, {{"rank", 1}}), "flow 0 names resource 1; allowed is one of the 1 there are, from 0 on");
  bad = flow;
  bad.after = {2};
  EXPECT_EQ(refusal_of({flow, bad}), "flow 1 names flow 2; allowed is one of the 2 there are, from 0 on");
  bad.after = {1};
  EXPECT_EQ(refusal_of({flow, bad}),
            "flow 1 waits for flows that wait for themselves; allowed is an order without circles");
  bad = flow;
  bad.weights = {1};
  bad.after = {};
  EXPECT_EQ(refusal_of({bad}), "flow 0 has 1 weights; allowed is one for each of its 0 resources, or none");
  bad.resources = {0};
  bad.weights = {0};
  EXPECT_EQ(refusal_of({bad}, {{"rank", 1}}), "a weight of flow 0 is 0; allowed is a finite number above 0");
  bad = flow;
  bad.latency = -1;
  EXPECT_THAT(refusal_of({bad}), HasSubstr("latency of flow 0 is -1; allowed is"));
  EXPECT_THAT(refusal_of({flow}, {{"rank 3", 0}}), HasSubstr("'rank 3' is 0; allowed is a finite number above 0"));
}

}  // namespace
}  // namespace halocline::model
