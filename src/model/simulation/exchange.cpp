// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "halocline/error.hpp"
#include "model/exchange_flows.hpp"
#include "model/simulate.hpp"
#include "model/simulation/message_flows.hpp"
#include "routing/messages.hpp"

namespace halocline::model {
namespace {

std::int64_t bytes_between(std::span<const partition::Flow> flows, const routing::Route& route) {
  for (const partition::Flow& flow : flows) {
    if (flow.to == route.to) return routing::bytes_sent(flow, route.transport);
  }
  throw InvalidArgument(fmt::format("a route leads from subdomain {} to {}; allowed is a pair that has a message",
                                    route.from.value(), route.to.value()));
}

}  // namespace

Simulated simulate_exchange(const partition::Geometry& geometry, const placement::Placement& placement,
                            std::span<const routing::Route> routes, const machine::MachineMap& map,
                            routing::Messages messages) {
  return simulate_exchange(geometry, placement, routes, map, machine::Interconnect(map), messages);
}

void simulation::add_all(MessageFlows& messages, const partition::Geometry& geometry,
                         std::span<const routing::Route> routes) {
  subdomain_id sender;
  std::vector<partition::Flow> sent;
  std::vector<partition::Message> rows;
  for (const routing::Route& route : routes) {
    if (route.from != sender) {
      sender = route.from;
      sent = partition::outgoing_flows(geometry, sender);
      rows.clear();
    }
    const std::int64_t bytes = bytes_between(sent, route);
    const bool parts = messages.by_direction(route);
    if (rows.empty() && (parts || messages.take_rows())) rows = partition::outgoing(geometry, sender);
    const auto message = std::ranges::find(rows, route.to, &partition::Message::to);
    if (!parts) {
      messages.add(route, bytes, messages.take_rows() && message != rows.end() ? &*message : nullptr);
      continue;
    }
    bool further = false;
    for (const auto& [direction, part] : routing::by_direction(*message)) {
      messages.add(route, part.bytes(), messages.take_rows() ? &part : nullptr, further);
      further = true;
    }
  }
  messages.finish();
}

ExchangeFlows exchange_flows(const partition::Geometry& geometry, const placement::Placement& placement,
                             std::span<const routing::Route> routes, const machine::MachineMap& map,
                             const machine::Interconnect& interconnect) {
  simulation::MessageFlows made(geometry, map, interconnect, placement, routes);
  ExchangeFlows result;
  for (auto first = routes.begin(); first != routes.end();) {
    const auto last = std::find_if(first, routes.end(), [&](const auto& route) { return route.from != first->from; });
    simulation::add_all(made, geometry, {first, last});
    result.senders.resize(made.flows.size(), placement.of(first->from).rank);
    first = last;
  }
  result.resources = made.resources();
  result.flows = std::move(made.flows);
  return result;
}

Simulated simulate_exchange(const partition::Geometry& geometry, const placement::Placement& placement,
                            std::span<const routing::Route> routes, const machine::MachineMap& map,
                            const machine::Interconnect& interconnect, routing::Messages messages) {
  simulation::MessageFlows made(geometry, map, interconnect, placement, routes, messages);
  simulation::add_all(made, geometry, routes);
  Simulated result = simulate(made.interconnect, made.resources(), made.flows);
  std::vector<double> ends(made.routes());
  for (const auto& [route, flow] : made.ends()) {
    ends[route] = std::max(ends[route], result.ends[static_cast<std::size_t>(flow)]);
  }
  result.ends = std::move(ends);
  return result;
}

}  // namespace halocline::model
