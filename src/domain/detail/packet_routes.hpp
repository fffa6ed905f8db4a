// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/backend.hpp"
#include "halocline/machine_map.hpp"
#include "halocline/routing.hpp"
#include "placement/placement.hpp"

namespace halocline {

/// Sets Route::packets, and adds to the reason where a route by direct is kept to rows: GPUs whose 16-byte stores are known to
/// arrive as a whole are those that the machine map joins by NVLink. Both ends have the same map.
void decide_packets(routing::Route& route, DeviceKind devices, const machine::MachineMap& machine,
                    const placement::Slot& from, const placement::Slot& to);

}  // namespace halocline
