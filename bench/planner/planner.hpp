// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/mapper.hpp"
#include "partition/halo.hpp"
#include "placement/placement.hpp"

// What planning costs, and how good its answers are. Nothing here runs an exchange.
namespace halocline::bench {

/// Seconds and memory of each stage for machines of 6 devices a node, and of one rank's own part.
void scale_table(const std::vector<std::int64_t>& nodes);

/// Solvers compared with the optimum, on random problems of 4 to 12 devices.
void quality_table(int problems);
/// The nodes of Summit-like machines: the cost of placement compared with a lower bound.
void summit_table(const std::vector<std::int64_t>& nodes);

/// Bytes between nodes by the order in which subdomains are handed to them.
void order_table(const std::vector<std::int64_t>& radii);

/// facility -> location by the Scotch library, which takes both directions of flows and of distances together. Throws
/// CapabilityError where mapping::have_scotch() is false.
[[nodiscard]] std::vector<int> solve_scotch(const placement::Assignment& problem);
/// subdomain -> node by a mapper, for nodes of as many devices on one switch.
[[nodiscard]] std::vector<std::int64_t> nodes_by(mapping::Mapper mapper, const partition::Geometry& geometry,
                                                 std::int64_t devices);

}  // namespace halocline::bench
