// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "machine/machine_map.hpp"

namespace cli {

/// The graph of each type of node: NUMA nodes and packages, switches, network cards, devices, and the links between them, by kind
/// and nominal rate. An SVG document.
[[nodiscard]] std::string topology_svg(const halocline::machine::MachineMap& map);

}  // namespace cli
