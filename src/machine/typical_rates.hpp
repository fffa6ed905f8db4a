// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/machine_map.hpp"

namespace halocline::machine {

/// GPUs whose exchange rates are taken for a machine where none were measured.
inline constexpr const char* typical_gpus = "two H200";

/// Whether typical rates describe a machine without exchange rates: every node that is in use has two or more devices, all joined by NVLink
/// of at least half, and at most twice, the bandwidth of typical_gpus.
[[nodiscard]] bool has_typical_rates(const MachineMap& map);

/// The map with exchange rates measured on typical_gpus where has_typical_rates(), otherwise unchanged. They order grids, as short rows take
/// several times as long for their bytes as long ones on all such GPUs; times of other GPUs differ.
[[nodiscard]] MachineMap with_typical_rates(MachineMap map);

}  // namespace halocline::machine
