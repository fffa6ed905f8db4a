#include "mapping/machine_view.hpp"

#include <fmt/core.h>

#include <array>

#include "halocline/core/error.hpp"

namespace halocline::mapping {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

const std::string& level_of(machine::LinkKind kind) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto one : machine::all_link_kinds) list.emplace_back(machine::to_string(one));
    return list;
  }();
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace

MachineView::MachineView(const machine::MachineMap& map) : map_(map), network_(network_topology(map)) {
  for (const auto& type : map.types) types_.push_back(make_type(type));
  for (const Channel& channel : network_.channels()) channels_.push_back({channel.bandwidth, &channel.level});
  for (int node = 0; node < static_cast<int>(map.nodes.size()); ++node) {
    first_.push_back(channels_.size());
    const auto& more = type_of(node).channels;
    channels_.insert(channels_.end(), more.begin(), more.end());
  }
}

MachineView::Type MachineView::make_type(const machine::NodeType& type) {
  Type view;
  for (const machine::Link& link : type.links) {
    view.channels.push_back({link.bandwidth, &level_of(link.kind)});
    view.channels.push_back(view.channels.back());
  }
  const auto number = [&](const Topology& topology, std::vector<std::size_t>& numbers) {
    for (std::size_t c = 0; c < topology.channels().size(); ++c) {
      const Channel& channel = topology.channels()[c];
      if (channel.link >= 0) {
        numbers.push_back(2 * at(channel.link) + c % 2);
        continue;
      }
      numbers.push_back(view.channels.size());
      view.channels.push_back({channel.bandwidth, &level_of(machine::LinkKind::memory)});
    }
  };
  if (core_count(type) > 0) {
    view.cores = core_topology(type);
    number(*view.cores, view.of_cores);
  }
  if (type.device_count() > 0) {
    view.devices = device_topology(type);
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

void MachineView::add_loads(const CommunicationMatrix& matrix, Processor processor, const std::vector<Seat>& seats,
                            std::vector<std::int64_t>& loads) const {
  std::vector<int> scratch;
  for (int from = 0; from < matrix.ranks(); ++from) {
    const Seat& a = seats[at(from)];
    for (const Flow& flow : matrix.row(from)) {
      const Seat& b = seats[at(flow.to)];
      if (a.node != b.node) {
        for (const int channel : network_.route(a.node, b.node, scratch)) loads[at(channel)] += flow.bytes;
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
