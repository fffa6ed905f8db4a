// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "comm/rank_group.hpp"
#include "device/backend.hpp"
#include "routing/choose.hpp"

namespace halocline::exchange {

/// Whether messages between different ranks may be in device memory. Queries the library behind comm. If it reports
/// support, tries it with a small and a large message from each rank's device to its neighbour's in a ring, and
/// compares the bytes. If it does not, nothing is tried, because it could end the process instead of failing. The host
/// backend needs no query, because the host can access its devices' memory.
///
/// Collective; the answer is the same on all ranks. device: this rank's, as the backend's ordinal. A missing capability
/// of MPI is an answer; any other failure is an error, the same on all ranks.
[[nodiscard]] Verdict try_device_mpi(comm::RankGroup& comm, device::Backend& backend, int device);

}  // namespace halocline::exchange
