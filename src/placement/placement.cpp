#include "halocline/placement/placement.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "halocline/core/error.hpp"
#include "placement/problem.hpp"
#include "placement/solvers.hpp"

namespace halocline::placement {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 5> names{{{Method::trivial, "trivial"},
                                                                    {Method::exact, "exact"},
                                                                    {Method::craft, "craft"},
                                                                    {Method::random, "random"},
                                                                    {Method::automatic, "automatic"}}};

/// Up to here exact is instant; see decisions/0004.
constexpr int automatic_is_exact_up_to = 8;

/// The nodes that have slots, in the order of the map, and where each one's begin.
struct Nodes {
  std::vector<std::size_t> first_slot;
  std::vector<detail::Layout> layouts;
};

Nodes nodes_of(const machine::MachineMap& map, const std::vector<Slot>& slots) {
  Nodes nodes;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (i == 0 || slots[i].node != slots[i - 1].node) {
      nodes.first_slot.push_back(i);
      nodes.layouts.push_back({map.nodes[slots[i].node.index()].type, {}});
    }
    nodes.layouts.back().devices.push_back(slots[i].device);
  }
  return nodes;
}

void check_numbers(const partition::Partition& parts, const machine::MachineMap& map, const std::vector<Slot>& slots,
                   const Nodes& nodes) {
  if (slots.empty()) {
    throw InvalidArgument(
        fmt::format("machine '{}' has no ranks with devices; allowed are machines with {} nodes of {} "
                    "devices that ranks drive",
                    map.name, parts.nodes(), parts.devices_per_node()));
  }
  if (std::cmp_not_equal(nodes.layouts.size(), parts.nodes())) {
    throw InvalidArgument(
        fmt::format("number of nodes with ranks in machine '{}' is {}; allowed for this partition is {}", map.name,
                    nodes.layouts.size(), parts.nodes()));
  }
  for (std::size_t k = 0; k < nodes.layouts.size(); ++k) {
    if (std::cmp_not_equal(nodes.layouts[k].devices.size(), parts.devices_per_node())) {
      throw InvalidArgument(
          fmt::format("number of devices that ranks drive on node '{}' is {}; allowed for this "
                      "partition is {}",
                      map.nodes[slots[nodes.first_slot[k]].node.index()].name, nodes.layouts[k].devices.size(),
                      parts.devices_per_node()));
    }
  }
}

std::vector<int> solve(const Assignment& problem, Method method) {
  if (method == Method::exact || (method == Method::automatic && problem.n <= automatic_is_exact_up_to)) {
    return solve_exact(problem);
  }
  return solve_craft(problem);
}

/// Part -> place among the node's slots, and what that costs.
struct Solution {
  std::vector<int> location_of;
  std::int64_t trivial_cost = 0;
  std::int64_t cost = 0;
};

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

std::vector<subdomain_id> Placement::of_rank(rank_id rank) const {
  std::vector<subdomain_id> mine;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    if (slots[s].rank == rank) mine.emplace_back(static_cast<std::int64_t>(s));
  }
  std::sort(mine.begin(), mine.end(), [this](subdomain_id a, subdomain_id b) { return of(a).ordinal < of(b).ordinal; });
  return mine;
}

Placement make_placement(const partition::Geometry& geometry, const machine::MachineMap& map, const Request& request) {
  map.check();
  const std::vector<Slot> slots = slots_of(map);
  const Nodes nodes = nodes_of(map, slots);
  if (geometry.partition.nodes() == 1 && nodes.layouts.size() > 1 &&
      std::cmp_equal(slots.size(), geometry.partition.devices_per_node())) {
    // Cut as one node although there are several, because they hold unequal numbers of devices: consecutive
    // subdomains stay together, and what could be gained inside a node is not looked for.
    return {.slots = slots};
  }
  check_numbers(geometry.partition, map, slots, nodes);
  const detail::ProblemMaker maker(geometry, map, nodes.layouts);

  Placement placement;
  placement.slots.reserve(slots.size());
  std::vector<int> identity(static_cast<std::size_t>(geometry.partition.devices_per_node()));
  std::iota(identity.begin(), identity.end(), 0);
  std::map<std::pair<detail::Layout, std::vector<std::int64_t>>, Solution> solved;
  for (std::size_t k = 0; k < nodes.layouts.size(); ++k) {
    const auto [found, is_new] = solved.try_emplace({nodes.layouts[k], maker.flow(static_cast<std::int64_t>(k))});
    Solution& solution = found->second;
    const bool random = request.method == Method::random;
    if (is_new || random) {
      const Assignment problem{static_cast<int>(identity.size()), found->first.second,
                               maker.distance(nodes.layouts[k])};
      solution.location_of = request.method == Method::trivial ? identity
                             : random ? solve_random(problem.n, detail::SplitMix64(request.seed + k).next())
                                      : solve(problem, request.method);
      solution.trivial_cost = problem.cost(identity);
      solution.cost = problem.cost(solution.location_of);
    }
    placement.trivial_cost += solution.trivial_cost;
    placement.cost += solution.cost;
    for (const int location : solution.location_of) {
      placement.slots.push_back(slots[nodes.first_slot[k] + static_cast<std::size_t>(location)]);
    }
  }
  return placement;
}

}  // namespace halocline::placement
