// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "machine/machine_map.hpp"

namespace halocline::model {

/// A machine of some nodes of another one, in the given order, with their ranks. A node may be given several times: then each is a node
/// of its own, with ranks of its own. The network is one switch with the rails of the map's; measured rates stay.
[[nodiscard]] machine::MachineMap section_of(const machine::MachineMap& map, std::span<const node_id> nodes);

}  // namespace halocline::model
