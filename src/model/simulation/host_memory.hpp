// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/machine_map.hpp"

namespace halocline::model::simulation {

/// The host's memory near a device: vertex of the NUMA node with the widest path to it, of equals the one with the least latency,
/// then the first; of the packages where there are none; the device itself where there is neither.
[[nodiscard]] int host_vertex(const machine::NodeType& type, int device_vertex);

}  // namespace halocline::model::simulation
