// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "machine/machine_map.hpp"

namespace halocline::machine {

/// Reduces every node to its first `devices` devices: the others, their links, their measurements and their uuids are removed. Measured exchange rates stay,
/// although they were measured with all devices. Ranks become one for each device. Throws InvalidArgument if a node has fewer devices, or `devices` is below 1.
void keep_devices(MachineMap& map, std::int64_t devices);

}  // namespace halocline::machine
