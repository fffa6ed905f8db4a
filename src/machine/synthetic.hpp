// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "machine/machine_map.hpp"

namespace halocline::machine {

struct SyntheticRequest {
  std::int64_t nodes = 1;
  std::int64_t devices_per_node = 1;
  std::int64_t ranks_per_node = 1;
};
/// A synthetic machine: identical nodes, each with devices of equal speed that are all connected
/// through one switch, and ranks_per_node ranks that share the devices evenly in order.
/// Throws InvalidArgument if a number is below 1 or the devices cannot be shared evenly.
[[nodiscard]] MachineMap synthetic(const SyntheticRequest& request);

/// Replaces the ranks of every node by ranks_per_node ranks that share its devices evenly, in order.
/// Throws InvalidArgument if ranks_per_node is below 1 or does not divide the devices of a node.
void assign_ranks(MachineMap& map, std::int64_t ranks_per_node);

}  // namespace halocline::machine
