// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "calibrate/calibrate.hpp"

namespace halocline {

/// Times exchanges between the nodes of `map` with one message for each direction, for each neighbour and, on host devices, for each
/// node, of 16^3 and 48^3 cells a device, and returns the map with the costs of messages that explain these times:
/// software.mpi_overhead, device_launch, mpi_latency, and mpi_injection with one_core. They include what sharing cores and waiting costs there. On one node, or after `seconds`, the map is
/// returned as it is. Collective over comm; nothing else may use the devices meanwhile. An exchange that cannot be set up is no
/// failure; `sources` names it.
[[nodiscard]] machine::MachineMap calibrate_messages(comm::RankGroup& comm, std::shared_ptr<device::Backend> backend,
                                                     machine::MachineMap map, const CalibrateRequest& request);

}  // namespace halocline
