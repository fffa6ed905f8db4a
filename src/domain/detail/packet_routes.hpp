// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/backend.hpp"
#include "halocline/routing.hpp"
#include "machine/machine_map.hpp"
#include "placement/placement.hpp"

namespace halocline {

/// Sets Route::packets, and extends the reason if a direct route between GPUs must not use packets. 16-byte stores are known to arrive as
/// a whole only between GPUs that the machine map joins by NVLink. Both ends have the same map. Between host devices on_host decides.
void decide_packets(routing::Route& route, DeviceKind devices, bool on_host, const machine::MachineMap& machine,
                    const placement::Slot& from, const placement::Slot& to);

}  // namespace halocline
