// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"
#include "machine/machine_map.hpp"

namespace halocline::machine {

/// Returns what this process sees of its own node: packages, NUMA nodes and NICs from hwloc (one package if hwloc was
/// not built in), the backend's devices, and nominal links between them. Does not communicate.
[[nodiscard]] NodeType probe_node(const device::Backend& backend);

/// Discovers the machine that the ranks of a communicator run on. Collective; the result is merged on rank 0 and
/// broadcast, so it is the same value on all ranks. node_comm contains the ranks on this rank's node (from
/// RankGroup::split_by_node). Host devices belong to the rank that created them; real devices are identified by
/// UUID, so that two ranks that see the same device use the same device_id. Equal nodes share one NodeType. If one rank
/// fails, throws the same error on all ranks. virtual_rack: virtual nodes of one host form a rack; rank 0's value counts.
[[nodiscard]] MachineMap discover(comm::RankGroup& comm, comm::RankGroup& node_comm, const device::Backend& backend,
                                  bool virtual_rack = false);

}  // namespace halocline::machine
