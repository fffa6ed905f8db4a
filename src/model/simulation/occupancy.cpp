// SPDX-License-Identifier: BSD-3-Clause
#include "model/occupancy.hpp"

#include <algorithm>
#include <utility>

#include "model/simulation/message_flows.hpp"

namespace halocline::model {
namespace {

constexpr std::int64_t sample_bytes = 1 << 20;

/// A message's flows depend on no geometry where no exchange rates are known.
partition::Geometry any_geometry() {
  const Vec3 one = Vec3::filled(1);
  return {partition::Partition(one, one, one, {{{0, 1}, {0, 1}, {0, 1}}}, partition::Order::row_major),
          {},
          Stencil{},
          all_periodic,
          1};
}

machine::MachineMap without_exchange_rates(machine::MachineMap map) {
  for (machine::NodeType& type : map.types) type.exchange_rates.clear();
  return map;
}

}  // namespace

struct Occupancy::Flows {
  Flows(const machine::MachineMap& with_rates, const machine::Interconnect& interconnect,
        std::vector<placement::Slot> slots)
      : map(without_exchange_rates(with_rates)),
        geometry(any_geometry()),
        placement{std::move(slots)},
        made(geometry, map, interconnect, placement, {}) {}

  machine::MachineMap map;
  partition::Geometry geometry;
  placement::Placement placement;
  simulation::MessageFlows made;
};

Occupancy::Occupancy(const machine::MachineMap& map, const machine::Interconnect& interconnect,
                     std::vector<placement::Slot> slots)
    : flows_(std::make_unique<Flows>(map, interconnect, std::move(slots))) {}

Occupancy::~Occupancy() = default;

Occupancy::Message Occupancy::of(std::size_t from, std::size_t to, routing::Transport transport) {
  simulation::MessageFlows& made = flows_->made;
  const machine::Interconnect& interconnect = made.interconnect;
  made.flows.clear();
  made.add({subdomain_id(static_cast<std::int64_t>(from)), subdomain_id(static_cast<std::int64_t>(to)), transport, {}},
           sample_bytes, nullptr);
  Message message;
  std::map<int, Part> parts;
  std::vector<std::int64_t> path;
  for (const Flow& flow : made.flows) {
    // Bandwidths and weights of what the flow takes; what it takes twice counts once, with the larger weight.
    struct Taken {
      std::int64_t id = 0;
      double bandwidth = 0;
      double weight = 0;
    };
    std::map<int, Taken> taken;
    const auto take = [&](std::int64_t id, double bandwidth, double weight) {
      const int number = numbers_.try_emplace(id, static_cast<int>(numbers_.size())).first->second;
      Taken& known = taken[number];
      known = {id, bandwidth, std::max(known.weight, weight)};
    };
    double latency = flow.latency;
    path.clear();
    if (!flow.work) interconnect.route(flow.from, flow.to, path);
    for (const std::int64_t id : path) {
      const machine::Channel channel = interconnect.channel(id);
      take(id, channel.bandwidth, 1);
      latency += channel.latency;
    }
    for (std::size_t r = 0; r < flow.resources.size(); ++r) {
      const SharedResource& resource = made.resources()[static_cast<std::size_t>(flow.resources[r])];
      take(-1 - flow.resources[r], resource.bandwidth, flow.weights.empty() ? 1 : flow.weights[r]);
    }
    double slowest = 0;
    for (const auto& [number, use] : taken) {
      const double seconds = static_cast<double>(flow.bytes) * use.weight / use.bandwidth;
      Part& part = parts.try_emplace(number, Part{number, use.id, 0, 0}).first->second;
      (flow.work ? part.fixed : part.per_byte) += flow.work ? seconds : seconds / sample_bytes;
      slowest = std::max(slowest, seconds);
    }
    if (flow.work) continue;  // of a core, while other stages go on
    message.latency += latency;
    message.per_byte += slowest / sample_bytes;
  }
  for (const auto& [number, part] : parts) message.parts.push_back(part);
  return message;
}

}  // namespace halocline::model
