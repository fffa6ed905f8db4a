// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "machine/names.hpp"
#include "plan/detail/simulated_machine.hpp"
#include "plan/plan.hpp"

namespace halocline {
namespace {

/// Three significant digits, powers of 1000, as in the tool's tables.
std::string bytes_text(std::int64_t bytes) {
  constexpr std::array units{"B", "KB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value >= 99.95 ? 0 : (value >= 9.995 ? 1 : 2), units[unit]);
}

/// Three significant digits, or whole microseconds.
std::string us_text(std::int64_t picoseconds) {
  const double us = 1e-6 * static_cast<double>(picoseconds);
  return fmt::format("{:.{}f} us", us, us >= 99.95 ? 0 : (us >= 9.995 ? 1 : 2));
}

std::string plural(std::int64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

std::string how_many(std::int64_t messages) {
  if (messages == 1) return "";
  return messages == 0 ? "in the message of another pair; " : fmt::format("{} messages; ", messages);
}

std::int64_t messages_of(std::span<const RoutedMessage> routes) {
  std::int64_t messages = 0;
  for (const RoutedMessage& routed : routes) messages += routed.messages;
  return messages;
}

std::string vec(const Vec3& v) { return fmt::format("{} x {} x {}", v.x, v.y, v.z); }

/// "120" or "119 to 120"
std::string range(const std::vector<std::int64_t>& cuts) {
  std::int64_t least = cuts[1] - cuts[0];
  std::int64_t most = least;
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    least = std::min(least, cuts[i] - cuts[i - 1]);
    most = std::max(most, cuts[i] - cuts[i - 1]);
  }
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

}  // namespace

std::string explain_machine(const machine::MachineMap& machine) {
  std::string text = fmt::format("machine    {}: {}, {}, {}\n", machine.name.empty() ? "unnamed" : machine.name,
                                 plural(static_cast<std::int64_t>(machine.nodes.size()), "node"),
                                 plural(machine.device_count(), "device"),
                                 plural(static_cast<std::int64_t>(machine.ranks.size()), "rank"));
  for (std::size_t t = 0; t < machine.types.size(); ++t) {
    const auto& type = machine.types[t];
    std::map<std::string, std::int64_t> kinds;
    for (const auto& vertex : type.vertices) ++kinds[std::string(machine::to_string(vertex.kind))];
    std::string contents;
    for (const auto& [kind, n] : kinds) contents += fmt::format("{}{} {}", contents.empty() ? "" : ", ", n, kind);
    const auto uses = std::count_if(machine.nodes.begin(), machine.nodes.end(),
                                    [t](const auto& node) { return std::cmp_equal(node.type, t); });
    text += fmt::format("           node type '{}' ({} of it): {}\n", type.name, uses, contents);
  }
  return text;
}

std::string explain_partition(const Plan& plan) {
  const auto& parts = plan.geometry.partition;
  std::string text = fmt::format(
      "partition  {} cells by {}: node grid {}, device grid {}, {} subdomains of {} x {} x {}\n", vec(parts.extent()),
      partition::to_string(plan.partition), vec(parts.node_grid()), vec(parts.device_grid()), parts.size(),
      range(parts.cuts(0)), range(parts.cuts(1)), range(parts.cuts(2)));
  if (!plan.partition_reason.empty()) text += fmt::format("           {}\n", plan.partition_reason);
  std::string open;
  std::string wrapped;
  for (int dim = 0; dim < 3; ++dim) {
    if (plan.geometry.boundaries[static_cast<std::size_t>(dim)] == Boundary::open) open += "xyz"[dim];
    if (plan.geometry.wraps(dim)) wrapped += "xyz"[dim];
  }
  const bool several = plan.steps_per_exchange > 1;
  text += fmt::format("           radius {}, {}{}\n", to_string(plan.geometry.stencil),
                      open.empty() ? "periodic" : "open in " + open,
                      wrapped.empty() ? "" : fmt::format("; kernels wrap in {}, which has no halo", wrapped));
  if (several) {
    text += fmt::format("           steps per exchange {}: halos of {} serve {} steps\n", plan.steps_per_exchange,
                        to_string(plan.geometry.halo_of_domain), plan.steps_per_exchange);
  }
  for (std::size_t f = 0; f < plan.geometry.fields.size(); ++f) {
    const auto& field = plan.geometry.fields[f];
    text += fmt::format("           field '{}': {}{}{}{}{}{}{}\n", field.name, to_string(field.element),
                        field.components > 1 ? fmt::format(" x {} components", field.components) : "",
                        field.component_directions.empty() ? "" : " by direction",
                        field.buffers > 1 ? fmt::format(", {} buffers", field.buffers) : "",
                        field.wire ? fmt::format(", sent as {}", to_string(*field.wire)) : "",
                        field.x_halos_apart ? ", halos in x apart" : "",
                        field.stencil ? ", radius " + to_string(*field.stencil) : "");
  }
  return text;
}

namespace {

/// Of simulated times.
bool lacks_fabric(const Plan& plan) {
  return plan.geometry.partition.size() > most_devices_of_whole &&
         !std::holds_alternative<machine::Crossbar>(plan.machine.network.fabric.shape);
}

/// Without what moves between nodes did.
std::string text_within_nodes(const Plan& plan) {
  const auto method = placement::to_string(plan.placement_method);
  if (plan.placement.given) return plan.placement.cost_text();
  if (!plan.judged) return fmt::format("by {}: {}", method, plan.placement.cost_text());
  const bool grids = plan.partition == partition::Method::fastest;
  const bool searched = plan.placement_method == placement::Method::fastest;
  std::string text = fmt::format("by {}: simulated {} an exchange{}", method, us_text(plan.judged->time),
                                 lacks_fabric(plan) ? " of a section, without the fabric" : "");
  if (searched || grids) {
    text += fmt::format("; {}{} {}", grids ? "exact plus " : "", searched ? "QAP" : method,
                        us_text(plan.judged->by_assignment));
  }
  return text + fmt::format("; {}order of devices {}", grids ? "exact in the " : "", us_text(plan.judged->in_order));
}

}  // namespace

std::string placement_text(const Plan& plan) {
  if (!plan.moves) return text_within_nodes(plan);
  const auto& [why_not, simulated, before, now] = *plan.moves;
  const std::string what = simulated ? "simulated" : "busiest link or slowest message";
  if (why_not.empty()) {
    return fmt::format("by system: {} {} an exchange; without moves between nodes {}", what, us_text(now),
                       us_text(*before));
  }
  return fmt::format("{}; subdomains keep their nodes: {}{}", text_within_nodes(plan), why_not,
                     before ? fmt::format(" than {} {}", what, us_text(*before)) : "");
}

std::string explain_placement(const Plan& plan) {
  std::string text =
      fmt::format("placement  {}\n", plan.judged || plan.moves ? placement_text(plan) : plan.placement.cost_text());
  constexpr std::int64_t most_rows = 32;
  const auto size = plan.geometry.partition.size();
  for (std::int64_t s = 0; s < std::min(size, most_rows); ++s) {
    const subdomain_id id(s);
    const auto& slot = plan.placement.of(id);
    text += fmt::format("           subdomain {:>3}  {:<46} node {}, rank {}, device {}\n", s,
                        to_string(plan.geometry.partition.box_of(id)), slot.node.value(), slot.rank.value(),
                        slot.device.value());
  }
  if (size > most_rows) text += fmt::format("           ... and {} more\n", size - most_rows);
  return text;
}

std::string explain_routes(std::span<const RoutedMessage> routes, std::size_t max_routes) {
  const std::int64_t sent = messages_of(routes);
  const auto pairs = static_cast<std::int64_t>(routes.size());
  std::string text = fmt::format("routes     {}{}\n", plural(sent, "message"),
                                 sent == pairs ? "" : fmt::format(" of {}", plural(pairs, "pair")));
  for (std::size_t i = 0; i < std::min(routes.size(), max_routes); ++i) {
    const auto& [route, bytes, messages] = routes[i];
    text += fmt::format("           {:>3} -> {:<3} {:>10}  {}{}\n", route.from.value(), route.to.value(),
                        bytes_text(bytes), how_many(messages), route.reason);
  }
  if (routes.size() > max_routes) text += fmt::format("           ... and {} more\n", routes.size() - max_routes);

  text += "traffic    one exchange of all fields\n";
  std::int64_t all = 0;
  for (const routing::Transport transport : routing::all_transports) {
    bool any = false;
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    for (const auto& routed : routes) {
      if (routed.route.transport != transport) continue;
      any = true;
      messages += routed.messages;
      bytes += routed.bytes;
    }
    all += bytes;
    if (any) {
      text += fmt::format("           {:<11} {:>6} {:<8} {:>10}\n", routing::to_string(transport), messages,
                          messages == 1 ? "message" : "messages", bytes_text(bytes));
    }
  }
  text += fmt::format("           {:<11} {:>6} {:<8} {:>10}\n", "all", sent, "messages", bytes_text(all));
  return text;
}

std::string explain(const Plan& plan, std::span<const RoutedMessage> routes, std::size_t max_routes) {
  std::string text = explain_machine(plan.machine) + explain_partition(plan) + explain_placement(plan) +
                     explain_balance(plan) + explain_routes(routes, max_routes);
  if (plan.steps_per_exchange > 1) {
    const auto steps = static_cast<double>(plan.steps_per_exchange);
    std::int64_t bytes = 0;
    for (const auto& routed : routes) bytes += routed.bytes;
    text += fmt::format("           a step, as one exchange serves {}: {:.1f} messages, {}\n", plan.steps_per_exchange,
                        static_cast<double>(messages_of(routes)) / steps, bytes_text(bytes / plan.steps_per_exchange));
  }
  return text;
}

}  // namespace halocline
