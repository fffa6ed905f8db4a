// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/discover.hpp"

#include <algorithm>

#include "comm/agree.hpp"
#include "discovery/detail/merge.hpp"
#include "discovery/serialise.hpp"

// The same pattern is used twice: each rank does its part, all ranks agree that it worked, then the parts are gathered.
// This is done first within each node, then among one leader of each node, so that the traffic between nodes grows with
// the number of nodes, not of ranks.
namespace halocline::machine {

auto members(MaybeConst<RankDevices> auto& rank) { return std::tie(rank.rank, rank.devices, rank.nvml); }
auto members(MaybeConst<NodeReport::Rank> auto& rank) { return std::tie(rank.rank, rank.devices); }
auto members(MaybeConst<NodeReport> auto& report) {
  return std::tie(report.name, report.type, report.device_uuids, report.ranks, report.fabric, report.sources);
}

namespace {

/// Whether a report covers all devices of a process.
bool covers(const NvmlReport& report, const std::vector<DeviceProbe>& devices) {
  return std::all_of(devices.begin(), devices.end(), [&](const DeviceProbe& device) {
    return std::any_of(report.gpus.begin(), report.gpus.end(),
                       [&](const NvmlGpu& gpu) { return gpu.uuid == device.uuid; });
  });
}

}  // namespace

MachineMap discover(comm::RankGroup& comm, comm::RankGroup& node_comm, const device::Backend& backend,
                    bool virtual_rack) {
  const bool leader = node_comm.rank() == rank_id(0);
  RankDevices mine{comm.rank().value(), {}, {}};
  HostProbe host;
  std::vector<std::byte> of_leader;
  comm::agree_on(comm, [&] {
    mine.devices = probe_devices(backend);
    if (!leader) return;
    host = this_host();
    mine.nvml = probe_links(mine.devices);
    of_leader = to_bytes(mine.nvml);
  });
  // NVML answers one query at a time on a node, and there are many queries, so one rank of each node makes them all. A
  // rank with a device that the leader cannot see (in another container) makes its own queries.
  node_comm.broadcast(of_leader, rank_id(0));
  comm::agree_on(comm, [&] {
    if (!leader && !covers(from_bytes<NvmlReport>(of_leader), mine.devices)) mine.nvml = probe_links(mine.devices);
  });

  const auto of_node = node_comm.all_gather(to_bytes(mine));
  std::vector<std::byte> report;  // empty except on leaders
  comm::agree_on(comm, [&] {
    if (!leader) return;
    std::vector<RankDevices> ranks;
    ranks.reserve(of_node.size());
    for (const auto& bytes : of_node) ranks.push_back(from_bytes<RankDevices>(bytes));
    report = to_bytes(merge_node(std::move(host), host_name(), std::move(ranks)));
  });

  const auto reports = comm.all_gather(report);
  std::vector<std::byte> merged;
  comm::agree_on(comm, [&] {
    if (comm.rank() != rank_id(0)) return;
    std::vector<NodeReport> nodes;
    for (const auto& bytes : reports) {
      if (!bytes.empty()) nodes.push_back(from_bytes<NodeReport>(bytes));
    }
    merged = to_bytes(merge_nodes(std::move(nodes), comm.size(), virtual_rack));
  });
  comm.broadcast(merged, rank_id(0));
  return from_bytes<MachineMap>(merged);
}

}  // namespace halocline::machine
