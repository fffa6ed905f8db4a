// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/detail/machine_view.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/at.hpp"
#include "core/checked.hpp"
#include "halocline/error.hpp"

namespace halocline::mapping {

MachineView::MachineView(const machine::MachineMap& map)
    : map_(map),
      interconnect_(map),
      network_(network_topology(interconnect_, checked_cast<int>(map.nodes.size(), "the number of nodes"))) {
  for (const auto& type : map.types) types_.push_back(make_type(type));
  for (std::int64_t c = interconnect_.first_network_channel(); c < interconnect_.channel_count(); ++c) {
    channels_.push_back(interconnect_.channel(c));
  }
  for (int node = 0; node < static_cast<int>(map.nodes.size()); ++node) {
    first_.push_back(channels_.size());
    const auto& more = type_of(node).channels;
    channels_.insert(channels_.end(), more.begin(), more.end());
  }
}

MachineView::Type MachineView::make_type(const machine::NodeType& type) {
  Type view;
  for (const machine::Link& link : type.links) {
    view.channels.insert(view.channels.end(), 2, {link.kind, link.bandwidth, link.latency});
  }
  const auto number = [&](const Topology& topology, std::vector<std::size_t>& numbers) {
    for (std::size_t c = 0; c < topology.channels().size(); ++c) {
      const int link = topology.graph().links[c / 2].of_type;
      numbers.push_back(link >= 0 ? 2 * at(link) + c % 2 : view.channels.size());
      if (link < 0) view.channels.push_back(topology.channels()[c]);
    }
  };
  if (type.core_count() > 0) {
    view.cores = core_topology(type);
    view.core_vertices = core_vertices(type);
    number(*view.cores, view.of_cores);
  }
  if (type.device_count() > 0) {
    view.devices = device_topology(type);
    view.device_vertices = type.device_vertices();
    number(*view.devices, view.of_devices);
  }
  return view;
}

const MachineView::Type& MachineView::type_of(int node) const { return types_[at(map_.nodes[at(node)].type)]; }

const Topology& MachineView::cores(int node) const {
  const Type& type = type_of(node);
  if (!type.cores) {
    throw InvalidArgument(fmt::format("node type '{}' has 0 cores; allowed is 1 or more (\"cores\" of its packages)",
                                      map_.types[at(map_.nodes[at(node)].type)].name));
  }
  return *type.cores;
}

const Topology& MachineView::devices(int node) const {
  const Type& type = type_of(node);
  if (!type.devices) throw InternalError("devices of a node that has none");
  return *type.devices;
}

machine::Place MachineView::place_of(const Seat& seat, Processor processor) const {
  const Type& type = type_of(seat.node);
  const bool on_device = processor == Processor::gpu && seat.device >= 0;
  return {node_id(seat.node), on_device ? type.device_vertices[at(seat.device)] : type.core_vertices[at(seat.core)]};
}

void MachineView::add_between_nodes(const Seat& from, const Seat& to, Processor processor, std::int64_t bytes,
                                    std::vector<std::int64_t>& loads) const {
  thread_local std::vector<int> scratch;
  const int rack = map_.nodes[at(from.node)].rack;
  const bool in_rack = rack >= 0 && rack == map_.nodes[at(to.node)].rack;
  if (interconnect_.rails() == 1 && !in_rack) {
    for (const int channel : network_.route(from.node, to.node, scratch)) loads[at(channel)] += bytes;
    return;
  }
  std::vector<std::int64_t> path;
  interconnect_.route(place_of(from, processor), place_of(to, processor), path);
  const std::int64_t network = interconnect_.first_network_channel();
  const bool over_network = std::ranges::any_of(path, [network](std::int64_t id) { return id >= network; });
  for (const std::int64_t id : path) {
    if (id >= network) loads[static_cast<std::size_t>(id - network)] += bytes;
    if (over_network) continue;
    const auto link = interconnect_.node_link(id);
    loads[first_[link.node.index()] + 2 * at(link.link) + (link.forward ? 0 : 1)] += bytes;
  }
}

void MachineView::add_loads(const CommunicationMatrix& matrix, Processor processor, const std::vector<Seat>& seats,
                            std::vector<std::int64_t>& loads) const {
  std::vector<int> scratch;
  for (int from = 0; from < matrix.ranks(); ++from) {
    const Seat& a = seats[at(from)];
    for (const Flow& flow : matrix.row(from)) {
      const Seat& b = seats[at(flow.to)];
      if (a.node != b.node) {
        add_between_nodes(a, b, processor, flow.bytes, loads);
        continue;
      }
      const Type& type = type_of(a.node);
      const bool cpu = processor == Processor::cpu;
      if (!cpu && (a.device < 0 || b.device < 0)) continue;
      const auto& numbers = cpu ? type.of_cores : type.of_devices;
      const auto route =
          cpu ? type.cores->route(a.core, b.core, scratch) : type.devices->route(a.device, b.device, scratch);
      for (const int channel : route) loads[first_[at(a.node)] + numbers[at(channel)]] += flow.bytes;
    }
  }
}

}  // namespace halocline::mapping
