// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "device/backend.hpp"
#include "halocline/communicator.hpp"
#include "halocline/machine_map.hpp"

namespace halocline::machine {

/// What this process sees of its own node: packages, NUMA nodes and NICs by hwloc (where it was built
/// in; one package otherwise), the backend's devices, and nominal links between them. No communication.
[[nodiscard]] NodeType probe_node(const device::Backend& backend);

/// Discovers the machine that the ranks of a communicator run on. Collective; the result is merged on
/// rank 0 and broadcast, so it is the same value on all ranks. node_comm holds the ranks that share this
/// rank's node (from Communicator::split_by_node). Host devices belong to the rank that made them; real
/// devices are identified by UUID, so that two ranks that see the same one name the same device_id.
/// Nodes that are alike share one NodeType. Throws the same error on all ranks where one fails.
[[nodiscard]] MachineMap discover(comm::Communicator& comm, comm::Communicator& node_comm,
                                  const device::Backend& backend);

}  // namespace halocline::machine
