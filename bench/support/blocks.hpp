// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "halocline/box.hpp"

namespace halocline::bench {

/// How many subdomains lie in each dimension, at the two levels.
struct Grids {
  Vec3 nodes;
  Vec3 devices;  ///< of a node
  [[nodiscard]] Vec3 all() const { return nodes * devices; }
};

/// For the same block on every GPU. Devices as asked for, or 1 x a x b with a <= b as near as they get: rows stay
/// whole. Nodes as near to a cube as they get. Throws InvalidArgument where the grid has not the node's devices.
[[nodiscard]] Grids grids_for_blocks(std::int64_t nodes, std::int64_t devices_per_node, const std::string& asked);

/// round(edge * devices^(1/3)): the edge of the cube that gives each device about edge^3 cells.
[[nodiscard]] std::int64_t weak_edge(std::int64_t edge, std::int64_t devices);

/// The edge of the largest cube that fits one GPU's share of the paper's domain for a node: 1363^3 cells over 6 GPUs.
[[nodiscard]] std::int64_t strong_edge();

}  // namespace halocline::bench
