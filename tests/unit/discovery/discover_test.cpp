// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/discover.hpp"
#include "comm/local_ranks.hpp"
#include "device/backend.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "device/host.hpp"
#include "halocline/error.hpp"
#include "halocline/session.hpp"
#include "support/listed_devices.hpp"

namespace halocline::machine {
namespace {

using comm::RankGroup;
using testing::HasSubstr;
using testing::StartsWith;

/// Discovers with each rank's backend; returns the map of every rank. The ranks must agree on who fails.
std::vector<MachineMap> discover_all(int ranks, std::optional<int> ranks_per_node,
                                     const std::function<std::shared_ptr<device::Backend>(int rank)>& backend_of) {
  std::vector<MachineMap> maps(static_cast<std::size_t>(ranks));
  comm::run_as_threads(ranks, [&](RankGroup& comm) {
    const auto node_comm = comm.split_by_node(ranks_per_node);
    const int rank = static_cast<int>(comm.rank().value());
    const auto backend = backend_of(rank);
    maps[static_cast<std::size_t>(rank)] = discover(comm, *node_comm, *backend);
    node_comm->close();
  });
  return maps;
}

std::shared_ptr<device::Backend> host_backend(int devices) {
  device::HostOptions options;
  options.devices = devices;
  return device::make_host_backend(options);
}

TEST(Discover, HostDevicesOfEachRankAreItsOwnAndAllRanksSeeOneMap) {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (const std::optional<int> per_node :
         {std::optional<int>{}, std::optional<int>{1}, std::optional<int>{2}, std::optional<int>{3}}) {
      const auto devices_of = [](int rank) { return 1 + (rank * 5) % 3; };
      const auto maps = discover_all(ranks, per_node, [&](int rank) { return host_backend(devices_of(rank)); });
      const MachineMap& map = maps.front();
      for (const MachineMap& other : maps) ASSERT_EQ(other, map);
      ASSERT_NO_THROW(map.check());
      ASSERT_EQ(map.ranks.size(), static_cast<std::size_t>(ranks));
      const int nodes = per_node ? (ranks + *per_node - 1) / *per_node : 1;
      ASSERT_EQ(map.nodes.size(), static_cast<std::size_t>(nodes));
      std::set<std::pair<node_id, device_id>> driven;
      for (int r = 0; r < ranks; ++r) {
        const RankEntry& rank = map.ranks[static_cast<std::size_t>(r)];
        EXPECT_EQ(rank.node, node_id(per_node ? r / *per_node : 0));
        ASSERT_EQ(rank.devices.size(), static_cast<std::size_t>(devices_of(r)));
        for (const device_id device : rank.devices) EXPECT_TRUE(driven.emplace(rank.node, device).second);
      }
      EXPECT_EQ(static_cast<std::int64_t>(driven.size()), map.device_count());
      std::set<std::string> uuids;
      for (const NodeEntry& node : map.nodes) uuids.insert(node.device_uuids.begin(), node.device_uuids.end());
      EXPECT_EQ(static_cast<std::int64_t>(uuids.size()), map.device_count()) << "each device has a uuid of its own";
    }
  }
}

TEST(Discover, VirtualNodesThatAreAlikeShareAType) {
  const auto maps = discover_all(6, 2, [](int) { return host_backend(2); });
  EXPECT_EQ(maps[0].nodes.size(), 3u);
  EXPECT_EQ(maps[0].types.size(), 1u);
}

TEST(Discover, GpusThatSeveralRanksSeeAreOneDevice) {
  const auto maps = discover_all(4, std::nullopt, [](int rank) {
    std::vector<device::DeviceInfo> devices;
    for (int d = 0; d < 2; ++d) {
      devices.push_back({"GPU", "GPU-" + std::to_string((rank + d) % 4), std::int64_t{16} << 30, 0});
    }
    return std::make_shared<test::ListedDevices>(halocline::DeviceKind::cuda, devices);
  });
  EXPECT_EQ(maps[0].device_count(), 4);
  EXPECT_EQ(maps[0].nodes[0].device_uuids, (std::vector<std::string>{"GPU-0", "GPU-1", "GPU-2", "GPU-3"}));
  EXPECT_EQ(maps[0].ranks[3].devices, (std::vector{device_id(3), device_id(0)}));
  EXPECT_EQ(maps[3], maps[0]);
}

/// Replaces the driver's NVML: the loader reuses a library that is already loaded under the same name.
class FakeNvml {
 public:
  FakeNvml() : library_(::dlopen(HALOCLINE_FAKE_NVML, RTLD_NOW | RTLD_LOCAL)) {}
  ~FakeNvml() {
    if (library_ != nullptr) ::dlclose(library_);
  }
  FakeNvml(const FakeNvml&) = delete;
  FakeNvml& operator=(const FakeNvml&) = delete;

 private:
  void* library_;
};

TEST(Discover, NvlinkIsFoundBetweenGpusThatNoRankSeesTogether) {
  const FakeNvml nvml;
  const auto maps = discover_all(2, std::nullopt, [](int rank) {
    return std::make_shared<test::ListedDevices>(
        halocline::DeviceKind::cuda,
        std::vector<device::DeviceInfo>{{"GPU", "GPU-" + std::to_string(rank), std::int64_t{16} << 30, 0}});
  });
  EXPECT_EQ(maps[1], maps[0]);
  const NodeType& type = maps[0].types.at(0);
  const std::vector<int> gpus = type.device_vertices();
  const Link slow_and_sound{gpus.at(0), gpus.at(1), LinkKind::nvlink, 12.5e9 + 25e9, 0.7e-6};
  EXPECT_THAT(type.links, testing::Contains(slow_and_sound));
  EXPECT_THAT(maps[0].sources, testing::Contains(HasSubstr("driver 580.1")));
}

TEST(Discover, ARankWithoutDevicesIsAllowed) {
  const auto maps = discover_all(2, std::nullopt, [](int rank) -> std::shared_ptr<device::Backend> {
    if (rank == 1) return host_backend(1);
    return std::make_shared<test::ListedDevices>(halocline::DeviceKind::host, std::vector<device::DeviceInfo>{});
  });
  EXPECT_TRUE(maps[0].ranks[0].devices.empty());
  EXPECT_EQ(maps[0].ranks[1].devices, std::vector{device_id(0)});
}

/// Fails every query.
std::shared_ptr<device::Backend> broken_backend() {
  auto backend = std::make_shared<test::ListedDevices>(
      halocline::DeviceKind::cuda, std::vector<device::DeviceInfo>{{"a", "A", 1, 0}, {"b", "B", 1, 0}});
  backend->reaches = [](int, int) -> bool { throw DeviceError("the driver is gone"); };
  return backend;
}

/// Two devices with one uuid: only the merge on the node's leader can detect it.
std::shared_ptr<device::Backend> doubled_backend() {
  return std::make_shared<test::ListedDevices>(halocline::DeviceKind::cuda,
                                               std::vector<device::DeviceInfo>{{"a", "A", 1, 0}, {"b", "A", 1, 0}});
}

void expect_same_error(int ranks, std::optional<int> per_node, ErrorKind kind, const std::string& begin,
                       const std::function<std::shared_ptr<device::Backend>(int)>& backend_of) {
  std::mutex mutex;
  std::vector<std::string> messages;
  comm::run_as_threads(ranks, [&](RankGroup& comm) {
    const auto node_comm = comm.split_by_node(per_node);
    const auto backend = backend_of(static_cast<int>(comm.rank().value()));
    try {
      static_cast<void>(discover(comm, *node_comm, *backend));
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      EXPECT_EQ(error.kind(), kind);
      messages.emplace_back(error.what());
    }
    node_comm->close();
  });
  ASSERT_EQ(messages.size(), static_cast<std::size_t>(ranks));
  for (const std::string& message : messages) EXPECT_EQ(message, messages.front());
  EXPECT_THAT(messages.front(), StartsWith(begin));
}

TEST(Discover, OneRankThatFailsFailsAllWithItsError) {
  for (const int failing : {0, 3, 4}) {
    expect_same_error(5, 2, ErrorKind::device, "rank " + std::to_string(failing) + ": the driver is gone",
                      [&](int rank) { return rank == failing ? broken_backend() : host_backend(1); });
  }
}

TEST(Discover, ALeaderThatFailsToMergeFailsAll) {
  expect_same_error(5, 2, ErrorKind::invalid_argument, "rank 2: rank 3 lists device",
                    [&](int rank) { return rank == 3 ? doubled_backend() : host_backend(1); });
}

TEST(Discover, OneRankAloneNeedsNoOthers) {
  const auto comm = comm::serial();
  const auto node_comm = comm->split_by_node(std::nullopt);
  const auto backend = host_backend(3);
  const MachineMap map = discover(*comm, *node_comm, *backend);
  EXPECT_EQ(map.device_count(), 3);
  EXPECT_EQ(map.ranks.size(), 1u);
}

}  // namespace
}  // namespace halocline::machine
