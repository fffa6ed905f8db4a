// SPDX-License-Identifier: BSD-3-Clause
#include "plan/expected_routes.hpp"

#include <algorithm>
#include <utility>

#include "model/simulate.hpp"
#include "plan/detail/node_messages.hpp"

namespace halocline {
namespace {

constexpr std::int64_t host_line_bytes = 64;

/// Bytes of whole lines that the rows of a subdomain's incoming messages touch, over the bytes themselves; 1 or more.
double lines_over_bytes(const partition::Geometry& geometry, subdomain_id receiver, std::int64_t line) {
  std::int64_t bytes = 0;
  std::int64_t lines = 0;
  for (const auto& message : partition::incoming(geometry, receiver)) {
    for (const auto& segment : message.segments) {
      const std::int64_t rows = std::max<std::int64_t>(segment.target.volume() / segment.target.extent().x, 1) *
                                partition::components_sent(geometry.fields[segment.field.index()], segment.direction);
      const std::int64_t row = segment.bytes / std::max<std::int64_t>(rows, 1);
      bytes += segment.bytes;
      lines += rows * std::max(row, line);
    }
  }
  return bytes == 0 ? 1 : std::max(1.0, static_cast<double>(lines) / static_cast<double>(bytes));
}

/// Devices of a node for each of its cores, 1 or more; 1 where the cores are unknown.
double devices_of_core(const machine::NodeType& type) {
  const auto cores = static_cast<double>(type.core_count());
  return cores == 0 ? 1 : std::max(1.0, type.device_count() / cores);
}

/// In how many messages of their own the host completes what goes by a route; 0 where devices do.
int messages_by_host(const partition::Geometry& geometry, const routing::Route& route, routing::Messages messages) {
  using routing::Transport;
  if (route.transport != Transport::mpi_device && route.transport != Transport::mpi_staged) return 0;
  if (messages != routing::Messages::by_direction) return 1;
  Directions directions;
  for (const auto& message : partition::outgoing(geometry, route.from)) {
    if (message.to != route.to) continue;
    for (const auto& segment : message.segments) directions.set(static_cast<std::size_t>(segment.direction.index()));
  }
  return static_cast<int>(directions.count());
}

}  // namespace

std::vector<ExpectedRoute> expected_routes(const Plan& plan, const routing::Policy& policy, bool gpus, rank_id receiver,
                                           routing::Messages messages) {
  const node_id node = plan.machine.ranks.at(receiver.index()).node;
  std::vector<routing::Route> routes;
  std::vector<std::int64_t> bytes;
  for (RoutedMessage& one : messages_of_node(plan, policy, gpus, node)) {
    routes.push_back(std::move(one.route));
    bytes.push_back(one.bytes);
  }
  const auto ends =
      model::simulate_exchange(plan.geometry, plan.placement, routes, model::as_measured(plan.machine), messages).ends;
  const machine::NodeType& type = plan.machine.type_of(node);
  const bool rates = !type.exchange_rates.empty();
  const double sharing = rates || gpus ? 1 : devices_of_core(type);
  std::vector<ExpectedRoute> expected;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (plan.owner(routes[i].to) != receiver) continue;
    const std::int64_t line = gpus ? machine::ExchangeRate::sector_bytes : host_line_bytes;
    const double lines = rates ? 1 : lines_over_bytes(plan.geometry, routes[i].to, line);
    expected.push_back(
        {routes[i], bytes[i], ends[i] * lines * sharing, messages_by_host(plan.geometry, routes[i], messages)});
  }
  return expected;
}

Tolerance tolerance_of(const machine::MachineMap& map, bool gpus, int by_host) {
  constexpr double of_message = 40e-6;  // 19 us were measured (docs/decisions/0070)
  const bool measured = std::ranges::any_of(
      map.types, [](const auto& type) { return !type.measurements.empty() || !type.exchange_rates.empty(); });
  // Launches and flags take tens of microseconds.
  if (gpus) return {.factor = measured ? 2.0 : 4.0, .seconds = 100e-6 + of_message * by_host};
  // Threads of host devices that share cores wait for each other's time slices, several times in an exchange.
  double sharing = 1;
  for (const machine::NodeType& type : map.types) sharing = std::max(sharing, devices_of_core(type));
  return {.factor = 4.0, .seconds = sharing > 1 ? 20e-3 * sharing : 2e-3};
}

}  // namespace halocline
