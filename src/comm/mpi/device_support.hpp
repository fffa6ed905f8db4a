// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "comm/rank_group.hpp"

namespace halocline::comm::mpi {

/// What this MPI reports about messages in GPU memory; MPI must be initialised. The standard has no query for this:
/// CMake selects the file for the MPI that it finds, or device_support_unknown.cpp.
[[nodiscard]] DeviceSupport device_support();

}  // namespace halocline::comm::mpi
