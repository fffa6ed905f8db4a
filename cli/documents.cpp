// SPDX-License-Identifier: BSD-3-Clause
#include "documents.hpp"
#include "domain/internals.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "machine/names.hpp"
#include "table.hpp"

namespace cli {

using namespace halocline;

Json json_of(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

Json domain_json(const Options& options) {
  Json fields = Json::array();
  for (const auto& field : options.fields) {
    Json one{{"name", field.name}, {"type", to_string(field.element)}, {"components", field.components}};
    if (field.wire) one["wire"] = to_string(*field.wire);
    fields.push_back(std::move(one));
  }
  Json open = Json::array();
  Json in_kernel = Json::array();
  Json staggered = Json::array();
  for (std::size_t dim = 0; dim < 3; ++dim) {
    if (options.boundaries[dim] == Boundary::open) open.push_back(std::string(1, "xyz"[dim]));
    if (options.boundaries[dim] == Boundary::periodic_in_kernel) in_kernel.push_back(std::string(1, "xyz"[dim]));
    if (options.staggered[dim]) staggered.push_back(std::string(1, "xyz"[dim]));
  }
  return {{"extent", json_of(options.size)},
          {"radius",
           {{"lower", json_of(options.stencil.lower())},
            {"upper", json_of(options.stencil.upper())},
            {"edges", !options.no_edges},
            {"corners", !options.no_corners}}},
          {"fields", fields},
          {"lattice", options.lattice ? Json(fmt::format("d3q{}", *options.lattice)) : Json(nullptr)},
          {"staggered", staggered},
          {"x_halos_apart", options.x_halos_apart},
          {"open", open},
          {"periodic_in_kernel", in_kernel},
          {"steps_per_exchange", options.steps_per_exchange}};
}

Json machine_summary(const machine::MachineMap& map) {
  return {
      {"name", map.name}, {"nodes", map.nodes.size()}, {"ranks", map.ranks.size()}, {"devices", map.device_count()}};
}

namespace {

std::string_view name_of(partition::Order order) {
  switch (order) {
    case partition::Order::row_major: return "row_major";
    case partition::Order::z_order: return "z_order";
  }
  throw InternalError("a partition order without a name");
}

}  // namespace

Json partition_json(const partition::Partition& partition) {
  Json document{{"extent", json_of(partition.extent())},
                {"node_grid", json_of(partition.node_grid())},
                {"device_grid", json_of(partition.device_grid())},
                {"order", name_of(partition.order())}};
  for (int dim = 0; dim < 3; ++dim) document["cuts"][std::string(1, "xyz"[dim])] = partition.cuts(dim);
  document["subdomains"] = Json::array();
  for (std::int64_t s = 0; s < partition.size(); ++s) {
    const Box box = partition.box_of(subdomain_id(s));
    document["subdomains"].push_back({{"subdomain", s},
                                      {"node_part", partition.node_part_of(subdomain_id(s))},
                                      {"lo", json_of(box.lo)},
                                      {"hi", json_of(box.hi)}});
  }
  return document;
}

Json partition_json(const Plan& plan) {
  Json document = partition_json(plan.geometry.partition);
  document["method"] = partition::to_string(plan.partition);
  if (!plan.balance) return document;
  document["balance"] = {{"speeds", plan.balance->speeds},
                         {"from", plan.balance->from},
                         {"imbalance", plan.balance->now},
                         {"imbalance_of_equal_cells", plan.balance->before}};
  return document;
}

Json placement_json(const placement::Placement& placement) {
  Json document{{"trivial_cost", placement.trivial_cost}, {"cost", placement.cost}, {"slots", Json::array()}};
  for (std::size_t s = 0; s < placement.slots.size(); ++s) {
    const placement::Slot& slot = placement.slots[s];
    document["slots"].push_back({{"subdomain", s},
                                 {"rank", slot.rank.value()},
                                 {"node", slot.node.value()},
                                 {"device", slot.device.value()},
                                 {"ordinal", slot.ordinal}});
  }
  return document;
}

Json placement_json(const Plan& plan) {
  Json document = placement_json(plan.placement);
  document["method"] = placement::to_string(plan.placement_method);
  const bool by_time =
      plan.placement_method == placement::Method::fastest || plan.placement_method == placement::Method::system;
  if (by_time) document["trivial_cost"] = document["cost"] = nullptr;
  const auto seconds = [](std::int64_t picoseconds) { return 1e-12 * static_cast<double>(picoseconds); };
  if (plan.moves) {
    Json& moves = document["moves_between_nodes"];
    moves["reason_not"] = plan.moves->why_not.empty() ? Json() : Json(plan.moves->why_not);
    if (plan.moves->before) {
      moves["by"] = plan.moves->simulated ? "simulation" : "bound";
      moves["before_s"] = seconds(*plan.moves->before);
      moves["now_s"] = seconds(plan.moves->now);
    }
  }
  if (!plan.judged) return document;
  document["simulated_s"] = seconds(plan.judged->time);
  document["simulated_by_assignment_s"] = seconds(plan.judged->by_assignment);
  document["simulated_in_order_s"] = seconds(plan.judged->in_order);
  return document;
}

LongList routes_list(std::span<const RoutedMessage> routes) {
  return {"routes", routes.size(), [routes](std::size_t i) {
            const auto& [route, bytes, messages] = routes[i];
            return Json{{"from", route.from.value()},
                        {"to", route.to.value()},
                        {"transport", routing::to_string(route.transport)},
                        {"bytes", bytes},
                        {"messages", messages},
                        {"reason", route.reason}};
          }};
}

Json routes_json(std::span<const RoutedMessage> routes) {
  const LongList routes_of = routes_list(routes);
  Json list = Json::array();
  for (std::size_t i = 0; i < routes_of.size; ++i) list.push_back(routes_of.element(i));
  return list;
}

namespace {

std::int64_t bytes_of_all(std::span<const Share> shares) {
  std::int64_t bytes = 0;
  for (const auto& share : shares) bytes += share.bytes;
  return bytes;
}

}  // namespace

Json messages_json(const MessageRanking& ranking) {
  Json predicted = Json::object();
  for (const auto& [messages, seconds] : ranking.candidates) predicted[std::string(to_string(messages))] = seconds;
  return {{"chosen", to_string(ranking.chosen)}, {"predicted_s", predicted}, {"why_not", ranking.why_not}};
}

Json shares_json(std::span<const Share> shares) {
  const std::int64_t all = bytes_of_all(shares);
  Json list = Json::array();
  for (const auto& share : shares) {
    list.push_back({{"transport", routing::to_string(share.transport)},
                    {"messages", share.messages},
                    {"bytes", share.bytes},
                    {"share", all == 0 ? 0.0 : static_cast<double>(share.bytes) / static_cast<double>(all)}});
  }
  return list;
}

Json statistics_json(const Statistics& s) {
  return {{"mean_s", s.mean}, {"trimean_s", s.trimean}, {"min_s", s.min}, {"p25_s", s.p25},
          {"p50_s", s.p50},   {"p75_s", s.p75},         {"p95_s", s.p95}, {"max_s", s.max}};
}

std::string backend_name(const Domain& domain) {
  return std::string(halocline::to_string(internals(domain).backend().kind()));
}

std::string devices_text(const Domain& domain) {
  const auto& backend = internals(domain).backend();
  return backend.kind() == halocline::DeviceKind::host ? "host devices" : backend.info(0).name;
}

std::string share_of_step_text(std::span<const Share> shares, int steps_per_exchange) {
  if (steps_per_exchange == 1) return {};
  std::int64_t messages = 0;
  for (const auto& share : shares) messages += share.messages;
  return fmt::format("an exchange serves {} steps: {:.1f} messages and {} a step\n", steps_per_exchange,
                     static_cast<double>(messages) / steps_per_exchange,
                     bytes_text(bytes_of_all(shares) / steps_per_exchange));
}

std::string shares_table(std::span<const Share> shares) {
  const std::int64_t all = bytes_of_all(shares);
  Table table({"transport", "messages", "bytes", "share"});
  for (const auto& share : shares) {
    table.row({std::string(routing::to_string(share.transport)), fmt::format("{}", share.messages),
               bytes_cell(share.bytes), share_text(share.bytes, all)});
  }
  return table.text();
}

}  // namespace cli
