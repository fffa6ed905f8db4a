// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/ids.hpp"
#include "halocline/placement.hpp"
#include "machine/machine_map.hpp"
#include "partition/halo.hpp"

namespace halocline::placement {

/// A place for one subdomain: a device, and the rank that drives it there.
struct Slot {
  rank_id rank;
  node_id node;
  device_id device;  ///< within the node
  int ordinal = 0;   ///< the device's position among the rank's own
  friend bool operator==(const Slot&, const Slot&) = default;
};

/// All slots of a machine, by node, then rank, then ordinal.
[[nodiscard]] std::vector<Slot> slots_of(const machine::MachineMap& map);

/// The node of each slot.
[[nodiscard]] std::vector<node_id> nodes_of(std::span<const Slot> slots);

/// Owners imply Method::given.
[[nodiscard]] bool gives_owners(const Request& request);

/// subdomain_id -> Slot.
struct Placement {
  std::vector<Slot> slots;
  /// Total cost before (trivial) and after, in the integers that were compared; likewise by node.
  std::int64_t trivial_cost = 0;
  std::int64_t cost = 0;
  bool given = false;  ///< by Request::owners, at cost 0
  [[nodiscard]] const Slot& of(subdomain_id subdomain) const { return slots[subdomain.index()]; }
  /// Returns the subdomains of a rank, by ordinal.
  [[nodiscard]] std::vector<subdomain_id> of_rank(rank_id rank) const;
  /// The cost compared with the cost of subdomains on devices in order, as a text, e.g. "costs 17 % less than the order
  /// of devices". The integers that are compared have no unit.
  [[nodiscard]] std::string cost_text() const;
};

/// Places the subdomains of each node part on the devices of one node: node part k on the k-th node that has slots.
/// Only flows within nodes have a cost. Equal nodes (same type, same ranks, same flows) are solved once. Costs are
/// compared as integers, so all ranks get the same result. A partition that was cut as one node of all devices (nodes
/// with unequal numbers) is placed in order, at cost 0. If the request has owners, these are the placement, on any
/// node. Throws InvalidArgument if the machine's slots and the partition's parts differ in number, or if a device owns
/// no subdomain or several.
[[nodiscard]] Placement make_placement(const partition::Geometry& geometry, const machine::MachineMap& map,
                                       const Request& request);

/// A quadratic assignment problem: minimise sum over i, j of flow[i][j] * distance[f(i)][f(j)].
/// Row-major n x n, not necessarily symmetric; the diagonals count too.
struct Assignment {
  int n = 0;
  std::vector<std::int64_t> flow;
  std::vector<std::int64_t> distance;
  [[nodiscard]] std::int64_t cost(std::span<const int> location_of) const;
};

/// Returns facility -> location, proven optimal, by branch and bound with Gilmore-Lawler bounds; among optimal
/// assignments, the lexicographically smallest. Meant for n <= 10 (milliseconds). Throws InvalidArgument above 12, and
/// for negative entries or entries whose products may overflow. visited: receives the number of tree nodes visited.
[[nodiscard]] std::vector<int> solve_exact(const Assignment& problem, std::int64_t* visited = nullptr);
/// Pairwise exchange until no swap of two helps, best swap first, from the identity and from a few fixed
/// permutations (the best end counts, ties to the identity's); incremental costs, O(n) each (Armour and
/// Buffa's CRAFT, as Pearson's reference code uses it). Never costs more than the identity. Throws
/// InvalidArgument for negative entries or entries whose products may overflow.
[[nodiscard]] std::vector<int> solve_craft(const Assignment& problem);
/// Returns a seeded permutation, the same on every machine.
[[nodiscard]] std::vector<int> solve_random(int n, std::uint64_t seed);

/// Converts doubles to integers from 0 to scale, in proportion to the largest.
[[nodiscard]] std::vector<std::int64_t> scaled(std::span<const double> values, std::int64_t scale = 1 << 20);

}  // namespace halocline::placement
