// SPDX-License-Identifier: BSD-3-Clause
// Steps of two to four slabs on links of equal speed and no latency, against times that follow from the order of their operations.
#include "model/slab_schemes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/error.hpp"

namespace halocline::model {
namespace {

using testing::HasSubstr;

constexpr double us = 1e-6;
constexpr double close = 1e-9;

/// Devices with a link of 1 GB/s each to one package and 10 GB/s of memory.
machine::MachineMap chain_of(int devices) {
  using machine::LinkKind;
  machine::MachineMap map;
  map.name = "slabs";
  machine::NodeType type;
  type.name = "node";
  type.vertices.push_back({.kind = machine::VertexKind::package, .name = "CPU"});
  for (int d = 1; d <= devices; ++d) {
    type.vertices.push_back({.kind = machine::VertexKind::device, .name = "device"});
    type.links.push_back({d, d, LinkKind::memory, 10e9, 0});
    type.links.push_back({d, 0, LinkKind::pcie, 1e9, 0});
  }
  map.types = {type};
  machine::NodeEntry& node = map.nodes.emplace_back();
  node.name = "node";
  map.network = {.bandwidth = 1e9, .latency = 1e-6};
  return map;
}

/// A plane of 100 x 100 cells takes 10 us to update, and 80 us to copy.
SlabStep step_of(int devices, std::int64_t planes) {
  return {.extent = {100, 100, planes * devices}, .devices = devices, .cell_bytes = 8, .seconds_per_cell = 1e-9};
}

TEST(SlabSchemes, of_two_slabs_take_what_their_orders_do) {
  const auto map = chain_of(2);
  const auto time = [&](SlabScheme scheme) { return simulate_slab_step(map, step_of(2, 2), scheme); };
  // Two planes each, then out and in, of both at once.
  EXPECT_NEAR(time(SlabScheme::baseline), (20 + 80 + 80) * us, close);
  // A side, then up (out, in), then down; inner points meanwhile.
  EXPECT_NEAR(time(SlabScheme::left_right), (10 + 4 * 80) * us, close);
  EXPECT_NEAR(time(SlabScheme::left_right_mpi), (10 + 4 * 80) * us, close);
  // One pair: up and down at once.
  EXPECT_NEAR(time(SlabScheme::pairwise), (10 + 2 * 80) * us, close);
  EXPECT_NEAR(time(SlabScheme::pairwise_mpi), (10 + 2 * 80) * us, close);
  // The same, as inner points of the next step are updated while sides are under way.
  EXPECT_NEAR(time(SlabScheme::threads), (10 + 2 * 80) * us, close);
  // Through both links at the same time.
  EXPECT_NEAR(time(SlabScheme::threads_p2p), (10 + 80) * us, close);
}

TEST(SlabSchemes, of_three_slabs_and_more_overlap_in_threads_alone) {
  for (const int devices : {3, 4}) {
    const auto map = chain_of(devices);
    const auto time = [&](SlabScheme scheme) { return simulate_slab_step(map, step_of(devices, 4), scheme); };
    EXPECT_NEAR(time(SlabScheme::left_right), (20 + 4 * 80) * us, close) << devices;
    EXPECT_NEAR(time(SlabScheme::pairwise), (20 + 4 * 80) * us, close) << devices;
    // Sends of one side overlap receives of the other: half as many copies in a row.
    EXPECT_NEAR(time(SlabScheme::threads), (10 + 2 * 80) * us, close) << devices;
    // Both copies of a device by its one engine in that direction, and a side's update at most twice between.
    EXPECT_GE(time(SlabScheme::threads_p2p), 2 * 80 * us - close) << devices;
    EXPECT_LE(time(SlabScheme::threads_p2p), (2 * 80 + 20) * us + close) << devices;
  }
}

TEST(SlabSchemes, inner_points_hide_copies_where_they_take_longer) {
  const auto map = chain_of(4);
  for (const SlabScheme scheme : all_slab_schemes) {
    const double found = simulate_slab_step(map, step_of(4, 100), scheme);
    if (scheme == SlabScheme::baseline) {
      EXPECT_NEAR(found, (1000 + 4 * 80) * us, 10 * us);
    } else {
      EXPECT_NEAR(found, 1000 * us, 2 * us) << to_string(scheme);
    }
  }
}

TEST(SlabSchemes, software_costs_what_waits_for_it) {
  auto map = chain_of(2);
  SlabStep step = step_of(2, 2);
  const auto time = [&](SlabScheme scheme) { return simulate_slab_step(map, step, scheme); };
  // Two copies to the host in a row, each waited for.
  step.synchronise = 7 * us;
  EXPECT_NEAR(time(SlabScheme::left_right), (10 + 4 * 80 + 2 * 7) * us, close);
  EXPECT_NEAR(time(SlabScheme::threads), (10 + 2 * 80) * us, close);
  step.synchronise = 0;
  // Two messages in a row, each 80,000 bytes at 8 GB/s after 5 us.
  map.software.mpi_latency = 5 * us;
  map.software.mpi_copy = 8e9;
  EXPECT_NEAR(time(SlabScheme::left_right_mpi), (10 + 4 * 80 + 2 * 15) * us, close);
  EXPECT_NEAR(time(SlabScheme::left_right), (10 + 4 * 80) * us, close);
}

TEST(SlabSchemes, launches_take_time_of_their_threads) {
  auto map = chain_of(4);
  map.software.device_launch = 1e-3;  // more than all else
  const auto time = [&](SlabScheme scheme) { return simulate_slab_step(map, step_of(4, 4), scheme); };
  // A thread for each side: an update, a copy out, a copy in.
  EXPECT_NEAR(time(SlabScheme::threads), 3e-3, close);
  EXPECT_NEAR(time(SlabScheme::threads_p2p), 2e-3, close);
  // One thread: four updates, six copies out and in, of which the last ones are waited for.
  EXPECT_GE(time(SlabScheme::baseline), 16e-3);
  EXPECT_LE(time(SlabScheme::baseline), 16e-3 + 4 * 80 * us);
}

TEST(SlabSchemes, one_copy_engine_copies_in_one_direction_at_a_time) {
  const auto map = chain_of(4);
  SlabStep step = step_of(4, 4);
  const double two = simulate_slab_step(map, step, SlabScheme::threads);
  step.copy_engines = 1;
  const double one = simulate_slab_step(map, step, SlabScheme::threads);
  EXPECT_GE(one, 4 * 80 * us);
  EXPECT_GT(one, two + 40 * us);
}

TEST(SlabSchemes, refuse_what_does_not_fit) {
  const auto map = chain_of(2);
  const auto refusal = [&](const SlabStep& step) {
    try {
      static_cast<void>(simulate_slab_step(map, step, SlabScheme::threads));
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  EXPECT_THAT(refusal(step_of(3, 4)), HasSubstr("devices is 3; allowed is 1 to 2"));
  EXPECT_THAT(refusal(step_of(2, 1)),
              HasSubstr("size in z is 2; allowed is a multiple of the number of devices, 2, of 2 planes"));
  SlabStep engines = step_of(2, 4);
  engines.copy_engines = 3;
  EXPECT_THAT(refusal(engines), HasSubstr("copy_engines is 3; allowed is 1 or 2"));
}

}  // namespace
}  // namespace halocline::model
