// SPDX-License-Identifier: BSD-3-Clause
#include "placement/placement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "placement/node_placer.hpp"

namespace halocline::placement {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 8> names{{{Method::trivial, "trivial"},
                                                                    {Method::exact, "exact"},
                                                                    {Method::craft, "craft"},
                                                                    {Method::random, "random"},
                                                                    {Method::automatic, "automatic"},
                                                                    {Method::given, "given"},
                                                                    {Method::fastest, "fastest"},
                                                                    {Method::system, "system"}}};

}  // namespace

std::string_view to_string(Method method) {
  for (const auto& [value, name] : names) {
    if (value == method) return name;
  }
  throw InternalError("a placement method without a name");
}

Method method_from_string(std::string_view name) {
  std::string allowed;
  for (const auto& [value, known] : names) {
    if (known == name) return value;
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", known);
  }
  throw InvalidArgument(fmt::format("placement method is '{}'; allowed are {}", name, allowed));
}

std::vector<Slot> slots_of(const machine::MachineMap& map) {
  std::vector<Slot> slots;
  for (std::size_t r = 0; r < map.ranks.size(); ++r) {
    int ordinal = 0;
    for (const device_id device : map.ranks[r].devices) {
      slots.push_back({rank_id(static_cast<std::int64_t>(r)), map.ranks[r].node, device, ordinal++});
    }
  }
  std::stable_sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) { return a.node < b.node; });
  return slots;
}

std::vector<node_id> nodes_of(std::span<const Slot> slots) {
  std::vector<node_id> nodes;
  nodes.reserve(slots.size());
  for (const Slot& slot : slots) nodes.push_back(slot.node);
  return nodes;
}

std::vector<subdomain_id> Placement::of_rank(rank_id rank) const {
  std::vector<subdomain_id> mine;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    if (slots[s].rank == rank) mine.emplace_back(static_cast<std::int64_t>(s));
  }
  std::sort(mine.begin(), mine.end(), [this](subdomain_id a, subdomain_id b) { return of(a).ordinal < of(b).ordinal; });
  return mine;
}

bool gives_owners(const Request& request) { return request.method == Method::given || !request.owners.empty(); }

std::string Placement::cost_text() const {
  if (given) return "with the given owners";
  if (cost == trivial_cost) return "costs what the order of devices does";
  const double saved = 100 * (1 - static_cast<double>(cost) / static_cast<double>(trivial_cost));
  return fmt::format("costs {:.2g} % {} than the order of devices", std::abs(saved), saved < 0 ? "more" : "less");
}

Placement make_placement(const partition::Geometry& geometry, const machine::MachineMap& map, const Request& request) {
  map.check();
  NodePlacer placer(geometry, map, request);
  Placement placement;
  placement.given = gives_owners(request);
  placement.slots.reserve(static_cast<std::size_t>(geometry.partition.size()));
  for (std::int64_t s = 0; s < geometry.partition.size(); ++s) placement.slots.push_back(placer.of(subdomain_id(s)));
  for (std::int64_t part = 0; part < geometry.partition.nodes(); ++part) {
    const NodePlacer::Cost cost = placer.cost_of(part);
    placement.trivial_cost += cost.trivial;
    placement.cost += cost.placed;
  }
  return placement;
}

}  // namespace halocline::placement
