// SPDX-License-Identifier: BSD-3-Clause
#include "measure/measure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "core/round_up.hpp"
#include "discovery/probe.hpp"
#include "halocline/error.hpp"
#include "measure/detail/combine.hpp"
#include "measure/detail/stages.hpp"

namespace halocline::machine {
namespace {

using measuring::Findings;
using measuring::Slot;

constexpr std::int64_t device_bytes = std::int64_t{64} << 20;
constexpr std::int64_t host_bytes = std::int64_t{4} << 20;
constexpr std::int64_t granularity = 1024;

/// The request with its defaults, or InvalidArgument.
MeasureRequest completed(MeasureRequest request, const comm::RankGroup& comm, const device::Backend& backend) {
  if (request.exact && (request.bytes < 4 || request.bytes % 4 != 0)) {
    throw InvalidArgument(fmt::format("bytes is {}; allowed is a multiple of 4 from 4 on", request.bytes));
  }
  if (!request.exact && request.bytes != 0 && request.bytes < granularity) {
    throw InvalidArgument(fmt::format("bytes is {}; allowed is 0, or {} or more", request.bytes, granularity));
  }
  if (request.repeats < 1) throw InvalidArgument(fmt::format("repeats is {}; allowed is 1 or more", request.repeats));
  if (!std::isfinite(request.seconds) || request.seconds <= 0) {
    throw InvalidArgument(fmt::format("seconds is {}; allowed is a finite number above 0", request.seconds));
  }
  if (request.bytes == 0) {
    request.bytes = backend.kind() == DeviceKind::host ? host_bytes : device_bytes;
  }
  if (!request.device_mpi) {
    const comm::DeviceSupport support = comm.device_support();
    const bool host = backend.kind() == DeviceKind::host;
    request.device_mpi = Verdict::of(host || support.verdict == comm::DeviceSupport::Verdict::yes, support.why);
  }
  if (!request.exact) request.bytes = round_up(request.bytes, granularity);
  return request;
}

/// Ranks of this rank's node, as comm numbers them, by their rank in node_comm.
std::vector<std::size_t> ranks_of_node(const MachineMap& map, node_id node) {
  std::vector<std::size_t> ranks;
  for (std::size_t r = 0; r < map.ranks.size(); ++r) {
    if (map.ranks[r].node == node) ranks.push_back(r);
  }
  return ranks;
}

/// By node; not valid for a node without ranks.
std::vector<rank_id> first_ranks_of(const MachineMap& map) {
  std::vector<rank_id> first_ranks(map.nodes.size());
  for (std::size_t r = map.ranks.size(); r-- > 0;) {
    first_ranks[map.ranks[r].node.index()] = rank_id(static_cast<std::int64_t>(r));
  }
  return first_ranks;
}

void check_fits(comm::RankGroup& comm, comm::RankGroup& node_comm, const device::Backend& backend,
                const MachineMap& map) {
  map.check();
  if (map.ranks.size() != static_cast<std::size_t>(comm.size())) {
    throw InvalidArgument(fmt::format("the map has {} ranks; allowed is a map of the {} ranks that measure it",
                                      map.ranks.size(), comm.size()));
  }
  const RankEntry& mine = map.ranks[comm.rank().index()];
  if (mine.devices.size() != static_cast<std::size_t>(backend.device_count())) {
    throw InvalidArgument(fmt::format("the map has {} devices of this rank; allowed is the {} of its backend",
                                      mine.devices.size(), backend.device_count()));
  }
  const std::vector<std::size_t> node = ranks_of_node(map, mine.node);
  const auto here = static_cast<std::size_t>(node_comm.size());
  if (node.size() != here || node.at(node_comm.rank().index()) != comm.rank().index()) {
    throw InvalidArgument(
        fmt::format("the map has {} ranks on this rank's node; allowed is the {} that share it", node.size(), here));
  }
}

std::vector<Slot> slots_of(const MachineMap& map, node_id node) {
  std::vector<Slot> slots(static_cast<std::size_t>(map.devices_of(node)));
  const std::vector<std::size_t> ranks = ranks_of_node(map, node);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::vector<device_id>& devices = map.ranks[ranks[r]].devices;
    for (std::size_t ordinal = 0; ordinal < devices.size(); ++ordinal) {
      Slot& slot = slots[devices[ordinal].index()];
      if (slot.rank < 0) slot = {static_cast<int>(r), static_cast<int>(ordinal)};
    }
  }
  return slots;
}

/// NUMA nodes of the map that the operating system of this node numbers.
measuring::NumaNodes numa_nodes(const NodeType& type) {
  measuring::NumaNodes nodes;
  for (const auto& [number, vertex] : this_host().numa) {
    const auto at = static_cast<std::size_t>(vertex);
    if (at < type.vertices.size() && type.vertices[at].kind == VertexKind::numa) nodes.emplace_back(vertex, number);
  }
  return nodes;
}

/// What all ranks of this rank's node found together. Collective over the node.
Findings measure_node(comm::RankGroup& node, device::Backend& backend, std::vector<Slot> slots,
                      const measuring::NumaNodes& numa, const MeasureRequest& request) {
  measuring::Session session(node, backend, std::move(slots), request);
  measuring::measure_own_memory(session);
  measuring::measure_pairs(session);
  measuring::measure_flags(session);
  measuring::measure_host(session, numa);
  measuring::measure_messages(session);
  measuring::measure_without_peer(session);
  measuring::measure_managed_pairs(session);
  const auto findings = comm::gather(node, Findings{session.measurements(), session.left_out()});
  session.close();
  return measuring::joined(findings);
}

/// On rank 0: the map with what its nodes found.
Measured refined(MachineMap map, const std::vector<Findings>& nodes, const MeasureRequest& request) {
  for (std::size_t t = 0; t < map.types.size(); ++t) {
    std::vector<Findings> of_type;
    for (std::size_t n = 0; n < map.nodes.size(); ++n) {
      if (map.nodes[n].type == static_cast<int>(t)) of_type.push_back(nodes.at(n));
    }
    map.types[t].measurements = measuring::medians(of_type);
    map.sources.push_back(
        fmt::format("measurements of type {}: medians of {} after one more, on {} nodes; bandwidth by "
                    "messages of the bytes given, latency by {} in a row of {} bytes each",
                    t, request.repeats, of_type.size(), measuring::small_row, measuring::small_bytes));
  }
  const Findings all = measuring::joined(nodes);
  for (const LeftOut& left_out : all.left_out) {
    map.sources.push_back(
        fmt::format("not measured: {}, {} times: {}", left_out.method, left_out.pairs, left_out.reason));
  }
  return {std::move(map), all.left_out};
}

}  // namespace

Measured measure(comm::RankGroup& comm, comm::RankGroup& node_comm, device::Backend& backend, const MachineMap& map,
                 const MeasureRequest& given) {
  MeasureRequest request;
  measuring::NumaNodes numa;
  comm::agree_on(comm, [&] {
    request = completed(given, comm, backend);
    check_fits(comm, node_comm, backend, map);
    if (backend.device_count() > 0) numa = numa_nodes(map.type_of(map.ranks[comm.rank().index()].node));
  });
  // Of one size on all ranks, whatever they drive.
  request.bytes = comm.all_reduce(request.bytes, comm::Reduction::min);
  const node_id node = map.ranks[comm.rank().index()].node;
  const Findings here = measure_node(node_comm, backend, slots_of(map, node), numa, request);

  MachineMap measured = map;
  std::vector<rank_id> first_ranks = first_ranks_of(map);
  std::erase_if(first_ranks, [](rank_id rank) { return !rank.valid(); });
  if (first_ranks.size() > 1) {
    const LinkRate rate = measuring::measure_network(comm, first_ranks, request);
    measured.network.bandwidth = rate.bandwidth;
    measured.network.latency = rate.latency;
    measured.sources.emplace_back("network: measured, one message at a time between host memory of two nodes");
  }

  const bool leader = node_comm.rank() == rank_id(0);
  const auto parts = comm.all_gather(leader ? to_bytes(here) : std::vector<std::byte>{});
  std::vector<std::byte> bytes;
  comm::agree_on(comm, [&] {
    if (comm.rank() != rank_id(0)) return;
    std::vector<Findings> nodes(map.nodes.size());
    for (std::size_t r = 0; r < parts.size(); ++r) {
      if (!parts[r].empty()) nodes[map.ranks[r].node.index()] = from_bytes<Findings>(parts[r]);
    }
    Measured result = refined(std::move(measured), nodes, request);
    result.map.check();
    bytes = to_bytes(result);
  });
  comm.broadcast(bytes, rank_id(0));
  return from_bytes<Measured>(bytes);
}

std::vector<PairMeasurement> measure_node_pairs(comm::RankGroup& comm, const MachineMap& map,
                                                const MeasureRequest& given) {
  MeasureRequest request = given;
  if (request.bytes == 0) request.bytes = host_bytes;
  const std::vector<rank_id> first_ranks = first_ranks_of(map);
  comm::agree_on(comm, [&] {
    if (map.nodes.size() < 2)
      throw InvalidArgument("the machine has 1 node; allowed are 2 or more, to measure between them");
    if (std::cmp_not_equal(map.ranks.size(), comm.size()) ||
        std::ranges::any_of(first_ranks, [](rank_id rank) { return !rank.valid(); })) {
      throw InvalidArgument(
          fmt::format("machine '{}' has {} ranks; allowed is the communicator's {}, some on each node", map.name,
                      map.ranks.size(), comm.size()));
    }
  });
  return measuring::measure_node_pairs(comm, first_ranks, request);
}

}  // namespace halocline::machine
