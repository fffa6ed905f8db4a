// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/discover.hpp"

#include <algorithm>

#include "discovery/detail/merge.hpp"
#include "discovery/serialise.hpp"

// Twice the same pattern: each rank does its part and all agree that it worked, then the parts are gathered.
// First on the node, then over one leader a node, so that what travels between nodes grows with nodes, not with
// ranks.
namespace halocline::machine {
namespace {

std::vector<std::byte> to_bytes(const RankDevices& mine) {
  ByteWriter out;
  out.put(mine.rank);
  out.put_all(mine.devices, [&](const DeviceProbe& device) { put(out, device); });
  put(out, mine.nvml);
  return out.take();
}

std::vector<std::byte> to_bytes(const NvmlReport& report) {
  ByteWriter out;
  put(out, report);
  return out.take();
}

NvmlReport nvml_report_from(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  return get_nvml_report(in);
}

/// Whether a report tells of all of a process's devices.
bool covers(const NvmlReport& report, const std::vector<DeviceProbe>& devices) {
  return std::all_of(devices.begin(), devices.end(), [&](const DeviceProbe& device) {
    return std::any_of(report.gpus.begin(), report.gpus.end(),
                       [&](const NvmlGpu& gpu) { return gpu.uuid == device.uuid; });
  });
}

RankDevices rank_devices_from(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  RankDevices rank;
  rank.rank = in.integer();
  rank.devices = in.all([&] { return get_device_probe(in); });
  rank.nvml = get_nvml_report(in);
  return rank;
}

std::vector<std::byte> to_bytes(const NodeReport& report) {
  ByteWriter out;
  out.put(report.name);
  put(out, report.type);
  out.put_all(report.device_uuids, [&](const std::string& uuid) { out.put(uuid); });
  out.put_all(report.ranks, [&](const NodeReport::Rank& rank) {
    out.put(rank.rank);
    out.put_all(rank.devices, [&](device_id device) { out.put(device.value()); });
  });
  out.put(report.fabric);
  out.put_all(report.sources, [&](const std::string& text) { out.put(text); });
  return out.take();
}

NodeReport node_report_from(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  NodeReport report;
  report.name = in.text();
  report.type = get_node_type(in);
  report.device_uuids = in.all([&] { return in.text(); });
  report.ranks = in.all([&] {
    NodeReport::Rank rank;
    rank.rank = in.integer();
    rank.devices = in.all([&] { return device_id(in.integer()); });
    return rank;
  });
  report.fabric = in.text();
  report.sources = in.all([&] { return in.text(); });
  return report;
}

}  // namespace

MachineMap discover(comm::Communicator& comm, comm::Communicator& node_comm, const device::Backend& backend) {
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
  // NVML answers one question at a time, whoever asks, and there are many: one rank of a node asks them all. Who has a
  // device that the leader cannot see, in another container, asks for itself.
  node_comm.broadcast(of_leader, rank_id(0));
  comm::agree_on(comm, [&] {
    if (!leader && !covers(nvml_report_from(of_leader), mine.devices)) mine.nvml = probe_links(mine.devices);
  });

  const auto of_node = node_comm.all_gather(to_bytes(mine));
  std::vector<std::byte> report;  // empty but on leaders
  comm::agree_on(comm, [&] {
    if (!leader) return;
    std::vector<RankDevices> ranks;
    ranks.reserve(of_node.size());
    for (const auto& bytes : of_node) ranks.push_back(rank_devices_from(bytes));
    report = to_bytes(merge_node(std::move(host), host_name(), std::move(ranks)));
  });

  const auto reports = comm.all_gather(report);
  std::vector<std::byte> merged;
  comm::agree_on(comm, [&] {
    if (comm.rank() != rank_id(0)) return;
    std::vector<NodeReport> nodes;
    for (const auto& bytes : reports) {
      if (!bytes.empty()) nodes.push_back(node_report_from(bytes));
    }
    merged = to_bytes(merge_nodes(std::move(nodes), comm.size()));
  });
  comm.broadcast(merged, rank_id(0));
  return map_from_bytes(merged);
}

}  // namespace halocline::machine
