// SPDX-License-Identifier: BSD-3-Clause
// The values that ranks compare before they are used.
#include <fmt/core.h>

#include <chrono>
#include <optional>

#include "domain/detail/agreement.hpp"
#include "io/json.hpp"

namespace halocline {
namespace {

std::string text_of(Boundary boundary) {
  switch (boundary) {
    case Boundary::periodic: return "periodic";
    case Boundary::open: return "open";
    case Boundary::periodic_in_kernel: return "periodic_in_kernel";
  }
  return "unknown";
}

std::string text_of(const std::optional<Vec3>& grid) { return grid ? to_string(*grid) : "unset"; }

NamedValue named_radius(std::string name, const Stencil& radius) {
  NamedValue value = named(std::move(name), to_string(radius));
  Hash hash;
  for (const Vec3& side : {radius.lower(), radius.upper()}) hash.add(side.x).add(side.y).add(side.z);
  for (const Direction d : all_directions) hash.add(std::int64_t{radius.reads(d)});
  value.hash = hash.value();
  return value;
}

NamedValue named_field(const FieldDescriptor& field) {
  std::string text(to_string(field.element));
  if (field.components != 1) text += fmt::format(", {} components", field.components);
  if (field.buffers != 1) text += fmt::format(", {} buffers", field.buffers);
  for (std::size_t dim = 0; dim < 3; ++dim) {
    if (field.staggered[dim]) text += fmt::format(", staggered in {}", "xyz"[dim]);
  }
  std::uint64_t own_radius = 0;
  if (field.stencil) {
    const NamedValue radius = named_radius("", *field.stencil);
    text += ", radius " + radius.text;
    own_radius = radius.hash;
  }
  if (!field.component_directions.empty()) text += ", components by direction";
  if (field.wire) text += fmt::format(", sent as {}", to_string(*field.wire));
  if (field.x_halos_apart) text += ", halos in x apart";
  NamedValue value = named(fmt::format("field '{}'", field.name), std::move(text));
  Hash hash;
  hash.add(static_cast<std::int64_t>(value.hash)).add(static_cast<std::int64_t>(own_radius));
  for (const Directions& directions : field.component_directions) {
    hash.add(static_cast<std::int64_t>(directions.to_ulong()));
  }
  value.hash = hash.value();
  return value;
}

std::string text_of(const std::optional<partition::Cuts>& cuts) {
  if (!cuts) return "unset";
  std::string text;
  for (std::size_t dim = 0; dim < 3; ++dim) {
    text += fmt::format("{}{}:", dim == 0 ? "" : " ", "xyz"[dim]);
    for (const std::int64_t position : (*cuts)[dim]) text += fmt::format(" {}", position);
  }
  return text;
}

std::string text_of(const std::vector<placement::Owner>& owners) {
  std::string text = owners.empty() ? "unset" : "rank:device";
  for (const placement::Owner& owner : owners) text += fmt::format(" {}:{}", owner.rank.value(), owner.device);
  return text;
}

std::string text_of(const routing::Policy& policy) {
  std::string text = policy.text();
  for (const auto& [from, to, transport] : policy.exceptions) {
    text += fmt::format(" {}->{}:{}", from.value(), to.value(), routing::to_string(transport));
  }
  if (!policy.use_measurements) text += " without measurements";
  return text;
}

}  // namespace

std::vector<NamedValue> values_of(const PlanRequest& request) {
  std::vector<NamedValue> values;
  const auto add = [&values](const char* name, std::string text) { values.push_back(named(name, std::move(text))); };
  add("extent", to_string(request.extent));
  values.push_back(named_radius("radius", request.stencil));
  std::string fields;
  for (const auto& field : request.fields) fields += (fields.empty() ? "" : " ") + field.name;
  add("fields", fields);
  for (const auto& field : request.fields) values.push_back(named_field(field));
  add("boundaries", fmt::format("{} {} {}", text_of(request.boundaries[0]), text_of(request.boundaries[1]),
                                text_of(request.boundaries[2])));
  add("steps_per_exchange", fmt::format("{}", request.steps_per_exchange));
  add("partition", std::string(partition::to_string(request.partition)));
  add("ties", std::string(partition::to_string(request.ties)));
  add("node_grid", text_of(request.node_grid));
  add("device_grid", text_of(request.device_grid));
  add("cuts", text_of(request.cuts));
  std::string weights;
  for (const double weight : request.weights) weights += fmt::format("{}{}", weights.empty() ? "" : " ", weight);
  add("weights", weights.empty() ? "unset" : weights);
  add("placement", std::string(placement::to_string(request.placement.method)));
  add("seed of the placement", fmt::format("{}", request.placement.seed));
  add("owners", text_of(request.placement.owners));
  if (request.partition == partition::Method::fastest) {
    add("row limits", fmt::format("{} {} {}", request.tuning.short_row_bytes, request.tuning.pack_short_rows_from_bytes,
                                  request.tuning.packets_at_most_bytes));
  }
  return values;
}

NamedValue value_of(const machine::MachineMap& machine) {
  NamedValue value = named("machine map", fmt::format("'{}' with {} nodes and {} ranks", machine.name,
                                                      machine.nodes.size(), machine.ranks.size()));
  value.hash = Hash().add(io::to_json(machine)).value();  // of the whole map, so that new members are included
  return value;
}

NamedValue value_of(std::span<const Reductions::Item> reductions, std::span<const FieldDescriptor> fields) {
  std::string text = reductions.empty() ? "none" : "";
  for (const Reductions::Item& one : reductions) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", Reductions::name_of(one, fields[one.field.index()]));
  }
  return named("reductions", std::move(text));
}

std::vector<NamedValue> values_of(const DomainOptions& options) {
  std::vector<NamedValue> values;
  const auto add = [&values](const char* name, std::string text) { values.push_back(named(name, std::move(text))); };
  const auto number = [&add](const char* name, std::int64_t value) { add(name, fmt::format("{}", value)); };
  add("machine.map", options.machine.map ? "given" : "unset");
  add("ranks_per_node", options.machine.ranks_per_node ? fmt::format("{}", *options.machine.ranks_per_node) : "unset");
  add("transports", text_of(options.routing.policy));
  number("tuning.staging_chunk_bytes", options.tuning.staging_chunk_bytes);
  number("tuning.zero_copy_at_most_bytes", options.tuning.zero_copy_at_most_bytes);
  number("tuning.short_row_bytes", options.tuning.short_row_bytes);
  number("tuning.pack_short_rows_from_bytes", options.tuning.pack_short_rows_from_bytes);
  number("tuning.packed_piece_bytes", options.tuning.packed_piece_bytes);
  number("tuning.packets_at_most_bytes", options.tuning.packets_at_most_bytes);
  number("tuning.domains_at_once", options.tuning.domains_at_once);
  add("measure_weights", options.partition.measure_weights ? "true" : "false");
  add("messages", std::string(to_string(options.routing.messages)));
  add("net_engine", std::string(to_string(options.routing.net_engine)));
  add("validate_ordering", options.debug.validate_ordering ? "true" : "false");
  add("timeout", fmt::format("{} s", std::chrono::duration<double>(options.timeout).count()));
  return values;
}

}  // namespace halocline
