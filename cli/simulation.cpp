// SPDX-License-Identifier: BSD-3-Clause
#include "simulation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/wire.hpp"
#include "halocline/error.hpp"
#include "machine/paths.hpp"
#include "table.hpp"

namespace cli {

using namespace halocline;

namespace {

/// Sent of a cell of all fields, as the model has one width.
double cell_bytes(const partition::Geometry& geometry) {
  std::int64_t bytes = 0;
  for (const auto& field : geometry.fields) bytes += bytes_on_wire(field) * field.components;
  return static_cast<double>(bytes);
}

/// For the two devices with the slowest connection: the model assumes that all pairs are equal.
machine::Path worst_path(const machine::NodeType& type) {
  machine::Path worst;
  for (int from = 0; from < type.device_count(); ++from) {
    for (int to = 0; to < type.device_count(); ++to) {
      const auto path = best_path(type, device_id(from), device_id(to));
      if (from == to || path.bandwidth == 0) continue;
      if (worst.bandwidth == 0 || path.bandwidth < worst.bandwidth) worst = path;
    }
  }
  return worst;
}

/// The model counts cells sent and received, which both directions of a link carry.
model::ClosedFormRate rate_of(double bytes, const machine::Path& path) {
  if (path.bandwidth == 0) return {};
  return {.seconds_per_cell = bytes / (2 * path.bandwidth), .latency = path.latency};
}

}  // namespace

model::ClosedFormConstants constants_of(const Plan& plan) {
  const double bytes = cell_bytes(plan.geometry);
  model::ClosedFormConstants constants;
  constants.between_nodes = rate_of(bytes, {plan.machine.network.bandwidth, plan.machine.network.latency});
  constants.within_node = rate_of(bytes, worst_path(plan.machine.type_of(node_id(0))));
  return constants;
}

model::ClosedFormCase even_case_of(const Plan& plan) {
  const auto& parts = plan.geometry.partition;
  return {parts.extent(), parts.node_grid(), parts.device_grid(), plan.geometry.widest_halo.most()};
}

model::ClosedForm closed_form_of(const Plan& plan) {
  return model::closed_form_of_device(even_case_of(plan), constants_of(plan));
}

model::Simulated simulated(const Plan& plan, std::span<const RoutedMessage> routes, routing::Messages messages) {
  std::vector<routing::Route> only;
  only.reserve(routes.size());
  for (const auto& message : routes) only.push_back(message.route);
  return model::simulate_exchange(plan.geometry, plan.placement, only, plan.machine, messages);
}

void SimulateFlags::apply(machine::MachineMap& machine) const {
  if (nominal) {
    for (machine::NodeType& type : machine.types) {
      type.measurements.clear();
      type.exchange_rates.clear();
    }
  }
  machine = model::as_measured(std::move(machine));
  if (links_alone) machine.software = {};
  for (const auto& say : software) say(machine.software);
}

Json software_json(const machine::Software& software) {
  return {{"mpi_copy_bytes_per_s", software.mpi_copy},
          {"mpi_injection_bytes_per_s", software.mpi_injection},
          {"mpi_latency_s", software.mpi_latency},
          {"mpi_device_latency_s", software.mpi_device_latency},
          {"mpi_overhead_s", software.mpi_overhead},
          {"device_launch_s", software.device_launch},
          {"one_core", software.one_core},
          {"mpi_serialises_streams", software.mpi_serialises_streams},
          {"serial_copies", software.serial_copies}};
}

std::string slowest_of(const model::Simulated& found) {
  return found.levels.empty() ? "none" : found.levels.front().level;
}

std::string levels_table(const model::Simulated& found) {
  Table table({"level", "channels", "bytes", "busy", "of the time", "busiest"});
  for (const auto& level : found.levels) {
    const double share = found.seconds > 0 ? 100 * level.busy_seconds / found.seconds : 0;
    table.row({level.level, fmt::format("{}", level.used), bytes_cell(level.bytes), seconds_cell(level.busy_seconds),
               fmt::format("{:.0f} %", share), level.busiest});
  }
  return table.text();
}

Json levels_json(const model::Simulated& found) {
  Json list = Json::array();
  for (const auto& level : found.levels) {
    list.push_back({{"level", level.level},
                    {"channels", level.used},
                    {"bytes", level.bytes},
                    {"busy_s", level.busy_seconds},
                    {"busiest", level.busiest}});
  }
  return list;
}

}  // namespace cli
