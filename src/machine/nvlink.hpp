// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/machine_map.hpp"

namespace halocline::machine {

/// Whether two devices of a node are joined by NVLink only: by links between the two, or through one link switch.
[[nodiscard]] bool joined_by_nvlink(const NodeType& type, device_id a, device_id b);

}  // namespace halocline::machine
