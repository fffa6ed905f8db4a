// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/backend.hpp"
#include "halocline/communicator.hpp"
#include "routing/choose.hpp"

namespace halocline::exchange {

/// Whether messages between different ranks may lie in device memory: asked of the library behind comm, and where that
/// says yes, tried with a small and a large message from each rank's device to its neighbour's in a ring, whose bytes
/// are compared. Not tried where the library does not say yes: it could end the process instead of failing. On the host
/// backend there is nothing to ask, because the host reaches its devices' memory.
///
/// Collective; the answer is the same on all ranks. device: of this rank, by the backend's ordinal. What MPI cannot do
/// is an answer; what fails besides is an error, the same on all ranks.
[[nodiscard]] Verdict try_device_mpi(comm::Communicator& comm, device::Backend& backend, int device);

}  // namespace halocline::exchange
