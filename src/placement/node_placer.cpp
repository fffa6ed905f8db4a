// SPDX-License-Identifier: BSD-3-Clause
#include "placement/node_placer.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "placement/detail/owners.hpp"
#include "placement/detail/problem.hpp"
#include "placement/detail/solvers.hpp"

namespace halocline::placement {
namespace {

/// Up to this size the exact method is instant; see decisions/0004.
constexpr int automatic_is_exact_up_to = 8;

/// The nodes that have slots, in the order of the map.
struct Nodes {
  std::vector<std::size_t> first_slot;
  std::vector<std::size_t> layout_of;   ///< positions in layouts
  std::vector<detail::Layout> layouts;  ///< the different ones
};

Nodes nodes_of(const machine::MachineMap& map, const std::vector<Slot>& slots) {
  Nodes nodes;
  std::map<detail::Layout, std::size_t> known;
  for (std::size_t i = 0; i < slots.size();) {
    nodes.first_slot.push_back(i);
    const node_id node = slots[i].node;
    detail::Layout layout{map.nodes[node.index()].type, {}};
    for (; i < slots.size() && slots[i].node == node; ++i) layout.devices.push_back(slots[i].device);
    const auto [found, is_new] = known.try_emplace(std::move(layout), nodes.layouts.size());
    if (is_new) nodes.layouts.push_back(found->first);
    nodes.layout_of.push_back(found->second);
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
  if (std::cmp_not_equal(nodes.layout_of.size(), parts.nodes())) {
    throw InvalidArgument(
        fmt::format("number of nodes with ranks in machine '{}' is {}; allowed for this partition is {}", map.name,
                    nodes.layout_of.size(), parts.nodes()));
  }
  for (std::size_t k = 0; k < nodes.layout_of.size(); ++k) {
    const std::size_t devices = nodes.layouts[nodes.layout_of[k]].devices.size();
    if (std::cmp_not_equal(devices, parts.devices_per_node())) {
      throw InvalidArgument(
          fmt::format("number of devices that ranks drive on node '{}' is {}; allowed for this "
                      "partition is {}",
                      map.nodes[slots[nodes.first_slot[k]].node.index()].name, devices, parts.devices_per_node()));
    }
  }
}

std::vector<int> best_of(const Assignment& problem, Method method) {
  if (method == Method::exact || (method != Method::craft && problem.n <= automatic_is_exact_up_to)) {
    return solve_exact(problem);
  }
  return solve_craft(problem);
}

}  // namespace

NodePlacer::NodePlacer(const partition::Geometry& geometry, const machine::MachineMap& map, const Request& request)
    : geometry_(geometry), map_(map), request_(request) {
  if (gives_owners(request)) {
    slots_ = detail::slots_of_owners(request.owners, geometry.partition.size(), map);
    return;
  }
  slots_ = slots_of(map);
  Nodes nodes = nodes_of(map, slots_);
  if (geometry.partition.nodes() == 1 && nodes.layout_of.size() > 1 &&
      std::cmp_equal(slots_.size(), geometry.partition.devices_per_node())) {
    // The partition was cut as for one node although there are several, because they have unequal numbers of devices.
    // Consecutive subdomains stay together, and no better placement within a node is searched for.
    return;
  }
  check_numbers(geometry.partition, map, slots_, nodes);
  layout_of_ = std::move(nodes.layout_of);
  maker_ = std::make_unique<const detail::ProblemMaker>(geometry, map, std::move(nodes.layouts));
}

NodePlacer::~NodePlacer() = default;

NodePlacer::Solution NodePlacer::solve(std::int64_t node_part, const Problem& problem) const {
  const auto& [layout, flow] = problem;
  const Assignment assignment{static_cast<int>(geometry_.partition.devices_per_node()), flow, maker_->distance(layout)};
  std::vector<int> identity(static_cast<std::size_t>(assignment.n));
  std::iota(identity.begin(), identity.end(), 0);
  Solution solution;
  switch (request_.method) {
    case Method::trivial: solution.location_of = identity; break;
    case Method::random: {
      const std::uint64_t seed = request_.seed + static_cast<std::uint64_t>(node_part);
      solution.location_of = solve_random(assignment.n, detail::SplitMix64(seed).next());
      break;
    }
    default: solution.location_of = best_of(assignment, request_.method);
  }
  solution.cost = {assignment.cost(identity), assignment.cost(solution.location_of)};
  return solution;
}

const NodePlacer::Solution& NodePlacer::solution_of(std::int64_t node_part) {
  const std::size_t layout = layout_of_[static_cast<std::size_t>(node_part)];
  const std::size_t kind = maker_->kinds().of(geometry_.partition, node_part);
  if (request_.method == Method::random) {
    const auto [found, is_new] = random_.try_emplace(node_part);
    if (is_new) found->second = solve(node_part, {layout, maker_->flow(kind)});
    return found->second;
  }
  const auto [found, is_new] = by_kind_.try_emplace({layout, kind}, nullptr);
  if (is_new) {
    // Kinds that differ only in the flows that leave the node have the same solution.
    const auto [solved, unsolved] = solved_.try_emplace({layout, maker_->flow(kind)});
    if (unsolved) solved->second = solve(node_part, solved->first);
    found->second = &solved->second;
  }
  return *found->second;
}

const Slot& NodePlacer::of(subdomain_id subdomain) {
  const std::int64_t part = geometry_.partition.node_part_of(subdomain);
  if (!maker_) return slots_[subdomain.index()];
  const auto devices = static_cast<std::size_t>(geometry_.partition.devices_per_node());
  const Solution& solution = solution_of(part);
  const std::size_t first = static_cast<std::size_t>(part) * devices;
  return slots_[first + static_cast<std::size_t>(solution.location_of[subdomain.index() - first])];
}

std::vector<subdomain_id> NodePlacer::of_rank(rank_id rank) {
  if (!rank.valid() || rank.index() >= map_.ranks.size()) {
    throw InvalidArgument(fmt::format("rank is {}; allowed for machine '{}' are 0 to {}", rank.value(), map_.name,
                                      std::ssize(map_.ranks) - 1));
  }
  std::int64_t first = 0;
  std::int64_t end = std::ssize(slots_);
  if (!gives_owners(request_)) {
    // A node's subdomains have the numbers of its slots, regardless of how they are placed among them.
    const auto own = std::ranges::equal_range(slots_, map_.ranks[rank.index()].node, {}, &Slot::node);
    first = own.begin() - slots_.begin();
    end = own.end() - slots_.begin();
  }
  std::vector<subdomain_id> mine;
  for (std::int64_t s = first; s < end; ++s) {
    if (of(subdomain_id(s)).rank == rank) mine.emplace_back(s);
  }
  std::ranges::sort(mine, {}, [this](subdomain_id s) { return of(s).ordinal; });
  return mine;
}

NodePlacer::Cost NodePlacer::cost_of(std::int64_t node_part) { return maker_ ? solution_of(node_part).cost : Cost{}; }

Assignment NodePlacer::problem_of(std::int64_t node_part) const {
  if (gives_owners(request_)) {
    throw InvalidArgument("owners are given; allowed for a problem of one node are methods that choose them");
  }
  if (!maker_) {
    throw InvalidArgument(
        fmt::format("machine '{}' has nodes with unequal numbers of devices that ranks drive; allowed "
                    "for a problem of one node are equal numbers",
                    map_.name));
  }
  return {static_cast<int>(geometry_.partition.devices_per_node()),
          maker_->flow(maker_->kinds().of(geometry_.partition, node_part)),
          maker_->distance(layout_of_.at(static_cast<std::size_t>(node_part)))};
}

}  // namespace halocline::placement
