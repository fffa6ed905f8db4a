// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "model/simulate.hpp"
#include "placement/placement.hpp"
#include "unit/model/simulate_support.hpp"

// Exchanges on machine maps that hold measurements.
namespace halocline::model {
namespace {

using machine::ExchangeRate;
using machine::HaloPath;
using machine::HaloRows;
using machine::Measurement;
using machine::Traffic;

constexpr int host = Measurement::host;

Measurement measured(int from, int to, std::string method, double bandwidth, Traffic traffic, double latency = 1e-6) {
  return {from, to, std::move(method), bandwidth, latency, traffic, -1, 0};
}

TEST(AsMeasured, LeavesAMapWithoutMeasurementsAsItIs) {
  const MachineMap map = map_of(2, 2);
  EXPECT_EQ(as_measured(map), map);
}

TEST(AsMeasured, TakesTheFastestTwoWayRateAcrossALink) {
  MachineMap map = map_of(1, 2);
  map.types[0].measurements = {
      measured(0, 1, "copy", 18 * giga, Traffic::one_way),    measured(0, 1, "copy", 15 * giga, Traffic::two_way),
      measured(1, 0, "copy", 14 * giga, Traffic::two_way),    measured(0, 1, "put", 99 * giga, Traffic::two_way),
      measured(0, 0, "copy", 80 * giga, Traffic::one_way),    measured(0, host, "pinned", 9 * giga, Traffic::one_way),
      measured(host, 1, "pinned", 4 * giga, Traffic::two_way)};
  const MachineMap found = as_measured(map);
  const auto bandwidth = [&](std::size_t link) { return found.types[0].links[link].bandwidth; };
  EXPECT_EQ(bandwidth(3), 15 * giga);   // NVLink between the two devices
  EXPECT_EQ(bandwidth(5), 80 * giga);   // the left device's memory
  EXPECT_EQ(bandwidth(6), 100 * giga);  // the right device's memory: not measured
  EXPECT_EQ(bandwidth(1), 9 * giga);    // PCIe of the left device
  EXPECT_EQ(bandwidth(2), 4 * giga);
  EXPECT_EQ(bandwidth(0), 9 * giga);  // the host's memory: the fastest measurement across it
  EXPECT_EQ(bandwidth(4), 8 * giga);  // the network card
  EXPECT_EQ(found.types[0].links[3].latency, map.types[0].links[3].latency);
}

TEST(AsMeasured, GivesTheHostsMemoryWhatAllDevicesTakeAtOnce) {
  MachineMap map = map_of(1, 2);
  auto& list = map.types[0].measurements;
  for (const int device : {0, 1}) {
    list.push_back(measured(device, host, "pinned", 8 * giga, Traffic::two_way));
    list.push_back(measured(device, host, "pinned", 7 * giga, Traffic::all_pairs));
    list.push_back(measured(host, device, "pinned", 5 * giga, Traffic::all_pairs));
  }
  EXPECT_EQ(as_measured(map).types[0].links[0].bandwidth, 12 * giga);  // 14 in, 10 out
  EXPECT_EQ(as_measured(map).types[0].links[1].bandwidth, 8 * giga);
  for (Measurement& one : list) one.bandwidth *= 10;
  EXPECT_EQ(as_measured(map).types[0].links[0].bandwidth, 80 * giga);  // nominally 50, but one device alone had 80
}

TEST(AsMeasured, LeavesOutWhatNoLinkShows) {
  MachineMap map = map_of(1, 1);
  auto& type = map.types[0];
  const auto keep = [&](std::initializer_list<machine::Link> links) {
    type.links = links;
    type.measurements = {measured(0, host, "pinned", giga, Traffic::one_way),
                         measured(0, 1, "copy", 3 * giga, Traffic::one_way)};
    return as_measured(map).types[0].links;
  };
  // Two devices with a link, and a host without links.
  EXPECT_EQ(keep({{device0, device1, LinkKind::nvlink, 20 * giga, 0}}).front().bandwidth, 3 * giga);
  // No host at all.
  type.vertices = {{VertexKind::device, "left", 0, 0, 0}, {VertexKind::device, "right", 0, 0, 0}};
  const auto found = keep({{0, 1, LinkKind::nvlink, 20 * giga, 0}, {0, 0, LinkKind::memory, 100 * giga, 0}});
  EXPECT_EQ(found[0].bandwidth, 3 * giga);
  EXPECT_EQ(found[1].bandwidth, 100 * giga);
}

TEST(AsMeasured, FillsInWhatTheMapSaysNothingOfInSoftware) {
  MachineMap map = map_of(1, 2);
  map.types[0].measurements = {measured(0, 1, "mpi_host", 6 * giga, Traffic::one_way, 2e-6),
                               measured(0, 1, "mpi_host", 2 * giga, Traffic::two_way),
                               measured(1, 0, "mpi_host", 3 * giga, Traffic::two_way),
                               measured(0, 0, "copy", 50 * giga, Traffic::one_way, 3e-6),
                               measured(0, 1, "copy", 50 * giga, Traffic::one_way, 9e-6)};
  machine::Software software = as_measured(map).software;
  EXPECT_EQ(software.mpi_copy, 5 * giga) << "twice the mean of two rates";
  EXPECT_EQ(software.mpi_latency, 2e-6);
  EXPECT_EQ(software.device_launch, 3e-6);
  map.software.mpi_copy = giga;
  software = as_measured(map).software;
  EXPECT_EQ(software.mpi_copy, giga);
  map.software.mpi_copy = 0;
  std::erase_if(map.types[0].measurements, [](const Measurement& one) { return one.traffic == Traffic::two_way; });
  EXPECT_EQ(as_measured(map).software.mpi_copy, 6 * giga);
}

/// Two devices of a node, cut in z: rows in y and z are long, because x and y are periodic within a device; rows in x
/// are short.
class SimulateKernels : public Simulate {
 protected:
  static constexpr double row = 256 * 4;
  static constexpr double face = 256 * row;
  static constexpr double latency = 20e-6;
  static constexpr double least = 50e-6;

  static std::vector<ExchangeRate> rates() {
    std::vector<ExchangeRate> list;
    for (const HaloRows rows : {HaloRows::long_rows, HaloRows::short_rows}) {
      list.push_back({HaloPath::local, rows, false, 16, 8 * giga, latency, least});
      list.push_back({HaloPath::local, rows, true, 16, 4 * giga, latency, least});
      list.push_back({HaloPath::link, rows, false, 16, 2 * giga, latency, least});
      list.push_back({HaloPath::link, rows, true, 16, 1 * giga, latency, least});
    }
    return list;
  }
  /// Stencil 1 in z, and in y if `wraps`.
  Simulated exchange(Transport between, bool wraps, std::int64_t side = 256,
                     routing::Messages messages = routing::Messages::by_neighbour) {
    const auto geometry =
        geometry_of({side, side, 2 * side}, {{1, 1, 1}, {1, 1, 2}},
                    Stencil::box(0, wraps ? 1 : 0, 1).without_edges().without_corners(), {field_of(Element::f32)});
    MachineMap map = map_of(1, 2);
    map.types[0].exchange_rates = rates();
    placement::Placement placement;
    placement.slots = placement::slots_of(map);
    std::vector<routing::Route> routes;
    for (const int from : {0, 1}) {
      for (const int to : {0, 1}) {
        if (from == to && !wraps) continue;
        routes.push_back({subdomain_id(from), subdomain_id(to), from == to ? Transport::self : between, ""});
      }
    }
    return simulate_exchange(geometry, placement, routes, map, messages);
  }
};

TEST_F(SimulateKernels, DirectRowsTakeTheirRateAndLatencyOnce) {
  const Simulated found = exchange(Transport::direct, false);
  EXPECT_NEAR(found.ends[0], 2 * face / (2 * giga) + latency, near);
  EXPECT_NEAR(found.seconds, 2 * face / (2 * giga) + latency, near);
  EXPECT_EQ(found.levels.front().level, "kernel");
}

TEST_F(SimulateKernels, LocalRowsRunBesideThemAndSlowBothDown) {
  const Simulated found = exchange(Transport::direct, true);
  EXPECT_NEAR(found.ends[0], 2 * face / (4 * giga) + latency, near);
  EXPECT_NEAR(found.ends[1], 2 * face / (1 * giga) + latency, near);
}

TEST_F(SimulateKernels, AnExchangeTakesTheLeastThatWasMeasured) {
  EXPECT_NEAR(exchange(Transport::direct, false, 8).seconds, least, near);
  EXPECT_LT(exchange(Transport::direct, false, 8).ends[0], least);
}

TEST_F(SimulateKernels, CopiesArePackedAtTheRateOfLocalRows) {
  const Simulated found = exchange(Transport::ipc_copy, false);
  const double packing = 2 * face / (8 * giga);
  EXPECT_NEAR(found.seconds, 2 * packing + 2 * face / (20 * giga) + 3e-6, near);
}

/// However messages are consolidated: the rows of their parts are packed at the same rates.
TEST_F(SimulateKernels, ConsolidatedMessagesArePackedAtTheRateOfLocalRows) {
  const double one_by_one = exchange(Transport::mpi_staged, false).seconds;
  EXPECT_GT(one_by_one, 2 * (2 * face / (8 * giga)));
  EXPECT_NEAR(exchange(Transport::mpi_staged, false, 256, routing::Messages::by_rank).seconds, one_by_one, near);
  EXPECT_NEAR(exchange(Transport::mpi_staged, false, 256, routing::Messages::by_direction).seconds, one_by_one, 1e-6);
}

}  // namespace
}  // namespace halocline::model
