// SPDX-License-Identifier: BSD-3-Clause
#include "measure/measure.hpp"
#include "comm/local_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <mutex>
#include <set>

#include "device/host.hpp"
#include "discovery/discover.hpp"
#include "halocline/error.hpp"
#include "halocline/session.hpp"
#include "machine/paths.hpp"
#include "support/error_of.hpp"
#include "support/listed_devices.hpp"

namespace halocline::machine {
namespace {

using comm::RankGroup;
using testing::HasSubstr;

MeasureRequest quick() {
  MeasureRequest request;
  request.bytes = 64 * 1024;
  request.repeats = 2;
  return request;
}

device::HostOptions devices(int count) {
  device::HostOptions options;
  options.devices = count;
  options.workers = 1;
  return options;
}

/// Discovers and measures with ranks as threads; returns the result of each rank.
std::vector<Measured> measure_all(int ranks, std::optional<int> ranks_per_node, const MeasureRequest& request,
                                  const std::function<device::HostOptions(int rank)>& options_of) {
  std::vector<Measured> results(static_cast<std::size_t>(ranks));
  comm::run_as_threads(ranks, [&](RankGroup& comm) {
    const auto node = comm.split_by_node(ranks_per_node);
    const int rank = static_cast<int>(comm.rank().value());
    const auto backend = device::make_host_backend(options_of(rank));
    const MachineMap map = discover(comm, *node, *backend);
    results[static_cast<std::size_t>(rank)] = measure(comm, *node, *backend, map, request);
    node->close();
  });
  return results;
}

/// The number of entries by method and traffic.
std::map<std::pair<std::string, Traffic>, int> counts(const NodeType& type) {
  std::map<std::pair<std::string, Traffic>, int> count;
  for (const Measurement& m : type.measurements) ++count[{m.method, m.traffic}];
  return count;
}

void expect_sound(const MachineMap& map) {
  EXPECT_NO_THROW(map.check());
  for (const Measurement& m : map.types[0].measurements) {
    EXPECT_GT(m.bandwidth, 0) << m.method;
    EXPECT_GE(m.latency, 0) << m.method;
    EXPECT_LT(m.latency, 10) << m.method;
    EXPECT_GT(m.bytes, 0) << m.method;
  }
}

TEST(Measure, OneProcessMeasuresAllPairsOfItsDevices) {
  const auto results = measure_all(1, std::nullopt, quick(), [](int) { return devices(3); });
  const MachineMap& map = results[0].map;
  expect_sound(map);
  auto count = counts(map.types[0]);
  EXPECT_EQ((count[{"copy", Traffic::one_way}]), 6 + 3) << "ordered pairs, and each device's own memory";
  for (const std::string method : {"put", "get", "staged"}) {
    EXPECT_EQ((count[{method, Traffic::one_way}]), 6) << method;
    EXPECT_EQ((count[{method, Traffic::two_way}]), 6) << method;
  }
  EXPECT_EQ((count[{"copy", Traffic::two_way}]), 6);
  EXPECT_EQ((count[{"copy", Traffic::all_pairs}]), 6);
  EXPECT_EQ((count[{"put", Traffic::all_pairs}]), 6);
  EXPECT_EQ((count[{"flag", Traffic::one_way}]), 6);
  EXPECT_EQ((count[{"mpi_host", Traffic::one_way}]), 0) << "one rank";
  EXPECT_EQ((count[{"mpi_device", Traffic::one_way}]), 6);
  EXPECT_EQ((count[{"mpi_staged", Traffic::two_way}]), 6);
  const int numa_nodes = static_cast<int>(std::count_if(map.types[0].vertices.begin(), map.types[0].vertices.end(),
                                                        [](const Vertex& v) { return v.kind == VertexKind::numa; }));
  EXPECT_GE((count[{"pinned", Traffic::one_way}]), 6);
  EXPECT_LE((count[{"pinned", Traffic::one_way}]), 6 * numa_nodes);
  EXPECT_GE((count[{"mapped", Traffic::two_way}]), 6);
  EXPECT_EQ((count[{"pinned", Traffic::all_pairs}]), 6);
  EXPECT_EQ((count[{"managed_demand", Traffic::one_way}]), 0);

  const NodeType& type = map.types[0];
  const Measurement* const copy = find_measurement(type, 0, 1, "copy", Traffic::one_way);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(best_path(type, device_id(0), device_id(1)), (Path{copy->bandwidth, copy->latency}));
  EXPECT_EQ(best_paths(type)[1], (Path{copy->bandwidth, copy->latency}));
}

TEST(Measure, WhatIsLeftOutIsListedWithItsReason) {
  const auto results = measure_all(1, std::nullopt, quick(), [](int) {
    auto options = devices(2);
    options.peer_access = [](int from, int) { return from == 1; };
    return options;
  });
  const Measured& result = results[0];
  std::map<std::string, LeftOut> by_method;
  for (const LeftOut& one : result.left_out) by_method[one.method] = one;
  // A kernel of device 0 cannot access device 1: it can neither store nor load there.
  EXPECT_THAT(by_method["put"].reason, HasSubstr("no peer access: the peer-access option says no"));
  EXPECT_EQ(by_method["put"].pairs, 1);
  EXPECT_EQ(by_method["get"].pairs, 1);
  EXPECT_EQ(by_method["managed_demand"].pairs, 4) << "two devices with the host, and one pair both ways";
  EXPECT_THAT(by_method["flag"].reason, HasSubstr("peer-access option"));
  const NodeType& type = result.map.types[0];
  EXPECT_EQ(find_measurement(type, 0, 1, "put", Traffic::one_way), nullptr);
  EXPECT_NE(find_measurement(type, 1, 0, "put", Traffic::one_way), nullptr);
  EXPECT_NE(find_measurement(type, 0, 1, "get", Traffic::one_way), nullptr);
  EXPECT_EQ(find_measurement(type, 1, 0, "get", Traffic::one_way), nullptr);
  EXPECT_EQ(find_measurement(type, 1, 0, "put", Traffic::two_way), nullptr) << "needs both directions";
  EXPECT_NE(find_measurement(type, 0, 1, "copy", Traffic::two_way), nullptr) << "the copy engine needs no access";
  EXPECT_THAT(result.map.sources, testing::Contains(HasSubstr("not measured: put, 1 times: no peer access")));
}

TEST(Measure, RanksOfANodeMeasureAcrossProcessesAndAgreeOnTheResult) {
  for (const int per_rank : {1, 2}) {
    const auto results = measure_all(3, std::nullopt, quick(), [&](int) { return devices(per_rank); });
    for (const Measured& other : results) {
      EXPECT_EQ(other.map, results[0].map);
      EXPECT_EQ(other.left_out, results[0].left_out);
    }
    expect_sound(results[0].map);
    const int n = 3 * per_rank;
    const int ordered = n * (n - 1);
    auto count = counts(results[0].map.types[0]);
    EXPECT_EQ((count[{"copy", Traffic::one_way}]), ordered + n);
    EXPECT_EQ((count[{"put", Traffic::two_way}]), ordered);
    EXPECT_EQ((count[{"get", Traffic::one_way}]), ordered);
    EXPECT_EQ((count[{"copy", Traffic::all_pairs}]), ordered);
    EXPECT_EQ((count[{"staged", Traffic::one_way}]), 3 * per_rank * (per_rank - 1)) << "within a process only";
    EXPECT_EQ((count[{"flag", Traffic::one_way}]), ordered);
    EXPECT_EQ((count[{"mpi_staged", Traffic::one_way}]), ordered);
    EXPECT_EQ((count[{"mpi_host", Traffic::two_way}]), 6) << "once for each pair of ranks";
  }
}

TEST(Measure, MemoryThatCannotBeMappedIsLeftOutNotAnError) {
  const auto results = measure_all(2, std::nullopt, quick(), [](int rank) {
    auto options = devices(1);
    if (rank == 1) options.mapping = [](int, const std::string&) { return false; };
    return options;
  });
  const NodeType& type = results[0].map.types[0];
  EXPECT_NE(find_measurement(type, 0, 1, "copy", Traffic::one_way), nullptr);
  EXPECT_EQ(find_measurement(type, 1, 0, "copy", Traffic::one_way), nullptr);
  EXPECT_EQ(find_measurement(type, 0, 1, "copy", Traffic::two_way), nullptr);
  EXPECT_NE(find_measurement(type, 1, 0, "mpi_staged", Traffic::two_way), nullptr);
  EXPECT_THAT(results[0].map.sources, testing::Contains(HasSubstr("the mapping option says no")));
  EXPECT_EQ(results[1].map, results[0].map);
}

TEST(Measure, NodesThatAreAlikeShareMediansAndTheNetworkIsMeasured) {
  const auto results = measure_all(5, 2, quick(), [](int rank) { return devices(rank == 4 ? 3 : 1); });
  const MachineMap& map = results[0].map;
  expect_sound(map);
  ASSERT_EQ(map.nodes.size(), 3u);
  ASSERT_EQ(map.types.size(), 2u);
  EXPECT_EQ((counts(map.types[0])[{"copy", Traffic::one_way}]), 2 + 2);
  EXPECT_EQ((counts(map.types[1])[{"copy", Traffic::one_way}]), 6 + 3);
  EXPECT_GT(map.network.bandwidth, 0);
  EXPECT_NE(map.network.bandwidth, 12.5e9) << "not the nominal one";
  EXPECT_THAT(map.sources, testing::Contains(HasSubstr("network: measured")));
  EXPECT_THAT(map.sources, testing::Contains(HasSubstr("on 2 nodes")));
}

/// Pairs of nodes, by rank; two ranks are a node.
std::vector<std::vector<PairMeasurement>> node_pairs(int ranks, const MeasureRequest& request) {
  std::vector<std::vector<PairMeasurement>> results(static_cast<std::size_t>(ranks));
  comm::run_as_threads(ranks, [&](RankGroup& comm) {
    const auto node = comm.split_by_node(2);
    const auto backend = device::make_host_backend(devices(1));
    const MachineMap map = discover(comm, *node, *backend);
    node->close();
    results[comm.rank().index()] = measure_node_pairs(comm, map, request);
  });
  return results;
}

TEST(Measure, EachTwoNodesAreMeasured) {
  const auto results = node_pairs(8, quick());
  std::set<std::pair<int, int>> pairs;
  for (const PairMeasurement& pair : results[0]) {
    EXPECT_LT(pair.from, pair.to);
    EXPECT_GT(pair.latency, 0);
    EXPECT_LT(pair.latency, 1);
    EXPECT_GT(pair.bandwidth, 1e6);
    pairs.insert({pair.from, pair.to});
  }
  EXPECT_EQ(results[0].size(), 6u);
  EXPECT_EQ(pairs.size(), 6u) << "of four nodes";
  for (const auto& other : results) {
    ASSERT_EQ(other.size(), results[0].size());
    for (std::size_t i = 0; i < other.size(); ++i) EXPECT_EQ(other[i].bandwidth, results[0][i].bandwidth);
  }
}

TEST(Measure, NodesAreNotMeasuredByHalves) {
  MeasureRequest request = quick();
  request.seconds = 1e-9;
  EXPECT_THROW(
      {
        try {
          node_pairs(4, request);
        } catch (const DeadlineError& error) {
          EXPECT_THAT(error.what(), HasSubstr("0 of 1 pairs of nodes were measured in 1e-09 s"));
          throw;
        }
      },
      DeadlineError);
  EXPECT_THROW(node_pairs(2, quick()), InvalidArgument) << "one node";
}

TEST(Measure, NodesWithoutRanksCannotBeMeasuredAgainstOthers) {
  const auto refusal = [](const std::function<void(MachineMap&)>& spoil) {
    return test::error_of<InvalidArgument>([&] {
      comm::run_as_threads(2, [&](RankGroup& comm) {
        const auto node = comm.split_by_node(1);
        const auto backend = device::make_host_backend(devices(1));
        MachineMap map = discover(comm, *node, *backend);
        node->close();
        map.name = "two";
        spoil(map);
        static_cast<void>(measure_node_pairs(comm, map, quick()));
      });
    });
  };
  EXPECT_EQ(refusal([](MachineMap&) {}), "(no error)");
  EXPECT_EQ(refusal([](MachineMap& map) { map.ranks.pop_back(); }),
            "rank 0: machine 'two' has 1 ranks; allowed is the communicator's 2, some on each node");
  EXPECT_EQ(refusal([](MachineMap& map) { map.nodes.push_back(map.nodes[0]); }),
            "rank 0: machine 'two' has 2 ranks; allowed is the communicator's 2, some on each node");
}

/// Kernels move words of 8 bytes: what they would copy is left out, and the rest is of exactly these bytes.
TEST(Measure, MessagesOfExactlyTwelveBytesAreNotForKernels) {
  MeasureRequest request = quick();
  request.exact = true;
  request.bytes = 12;
  const Measured result = measure_all(1, std::nullopt, request, [](int) { return devices(2); })[0];
  std::map<std::string, std::string> reasons;
  for (const LeftOut& one : result.left_out) reasons[one.method] = one.reason;
  EXPECT_EQ(reasons["mapped"], "kernels move words of 8 bytes");
  EXPECT_EQ(reasons["managed_prefetch"], "all memory of the host backend is of one kind");
  const NodeType& type = result.map.types[0];
  const Measurement* const pinned = find_measurement(type, Measurement::host, 0, "pinned", Traffic::one_way);
  ASSERT_NE(pinned, nullptr);
  EXPECT_EQ(pinned->bytes, 12);
  EXPECT_EQ(find_measurement(type, Measurement::host, 0, "pinned", Traffic::all_pairs), nullptr)
      << "a part for each device would be smaller than a word";
}

TEST(Measure, SharedDevicesAreMeasuredOnce) {
  // Two ranks of one process that share one backend, and so the uuids of its devices.
  const auto backend = device::make_host_backend(devices(2));
  std::vector<MachineMap> maps(2);
  comm::run_as_threads(2, [&](RankGroup& comm) {
    const auto node = comm.split_by_node(std::nullopt);
    const MachineMap map = discover(comm, *node, *backend);
    maps[comm.rank().index()] = measure(comm, *node, *backend, map, quick()).map;
    node->close();
  });
  EXPECT_EQ(maps[0], maps[1]);
  EXPECT_EQ(maps[0].device_count(), 2);
  EXPECT_EQ((counts(maps[0].types[0])[{"copy", Traffic::one_way}]), 2 + 2);
}

TEST(Measure, TheTimeIsBounded) {
  MeasureRequest request = quick();
  request.seconds = 1e-9;
  const auto results = measure_all(2, std::nullopt, request, [](int) { return devices(2); });
  EXPECT_TRUE(results[0].map.types[0].measurements.empty());
  EXPECT_THAT(
      results[0].map.sources,
      testing::Contains(HasSubstr("not measured: pinned, 5 times: the time for measuring, 1e-09 s, was spent")));
  EXPECT_EQ(results[1].map, results[0].map);
}

TEST(Measure, WithoutDevicesThereIsNothingToMeasure) {
  const auto comm = comm::serial();
  const auto node = comm->split_by_node(std::nullopt);
  test::ListedDevices none(halocline::DeviceKind::host, {});
  const MachineMap map = discover(*comm, *node, none);
  const Measured result = measure(*comm, *node, none, map, quick());
  EXPECT_TRUE(result.map.types[0].measurements.empty());
}

/// The same refusal on all ranks.
void expect_refused(const std::function<void(MeasureRequest&, MachineMap&, int rank)>& spoil,
                    const std::string& words) {
  std::mutex mutex;
  std::vector<std::string> messages;
  comm::run_as_threads(2, [&](RankGroup& comm) {
    const auto node = comm.split_by_node(std::nullopt);
    const auto backend = device::make_host_backend(devices(1));
    MachineMap map = discover(comm, *node, *backend);
    MeasureRequest request = quick();
    spoil(request, map, static_cast<int>(comm.rank().value()));
    try {
      static_cast<void>(measure(comm, *node, *backend, map, request));
    } catch (const InvalidArgument& error) {
      const std::lock_guard lock(mutex);
      messages.emplace_back(error.what());
    }
    node->close();
  });
  ASSERT_EQ(messages.size(), 2u) << words;
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_THAT(messages[0], HasSubstr(words));
}

TEST(Measure, RefusesWhatDoesNotFit) {
  expect_refused([](auto& request, auto&, int) { request.bytes = 1000; }, "bytes is 1000; allowed is 0, or 1024");
  expect_refused([](auto& request, auto&, int) { request.repeats = 0; }, "repeats is 0; allowed is 1 or more");
  expect_refused([](auto& request, auto&, int) { request.seconds = 0; }, "seconds is 0; allowed is a finite number");
  expect_refused([](auto&, auto& map, int) { map.ranks.pop_back(); },
                 "the map has 1 ranks; allowed is a map of the 2 ranks that measure it");
  expect_refused(
      [](auto& request, auto&, int) {
        request.exact = true;
        request.bytes = 6;
      },
      "bytes is 6; allowed is a multiple of 4 from 4 on");
  expect_refused(
      [](auto& request, auto&, int) {
        request.exact = true;
        request.bytes = 0;
      },
      "bytes is 0; allowed is a multiple of 4 from 4 on");
  expect_refused([](auto& request, auto&, int) { request.seconds = std::numeric_limits<double>::infinity(); },
                 "seconds is inf; allowed is a finite number above 0");
  expect_refused(
      [](auto&, auto& map, int) {
        map.nodes.push_back(map.nodes[0]);
        map.nodes[1].name = "other";
        map.ranks[1] = {node_id(1), {device_id(0)}};
      },
      "the map has 1 ranks on this rank's node; allowed is the 2 that share it");
  expect_refused(
      [](auto&, auto& map, int rank) {
        if (rank == 1) map.ranks[1].devices.clear();
      },
      "rank 1: the map has 0 devices of this rank; allowed is the 1 of its backend");
}

TEST(Measure, ADeviceThatFailsFailsAllRanks) {
  struct Failing final : device::Injector {
    std::atomic<int> left{40};
    device::Injection before(device::Operation operation, int) override {
      if (operation != device::Operation::copy || --left != 0) return {};
      return {{}, "the link is down"};
    }
  };
  std::atomic<int> failed{0};
  comm::run_as_threads(2, [&](RankGroup& comm) {
    const auto node = comm.split_by_node(std::nullopt);
    auto options = devices(1);
    if (comm.rank() == rank_id(1)) options.injector = std::make_shared<Failing>();
    const auto backend = device::make_host_backend(options);
    const MachineMap map = discover(comm, *node, *backend);
    try {
      static_cast<void>(measure(comm, *node, *backend, map, quick()));
    } catch (const DeviceError& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 1: the link is down"));
      ++failed;
    }
    node->close();
  });
  EXPECT_EQ(failed, 2);
}

}  // namespace
}  // namespace halocline::machine
