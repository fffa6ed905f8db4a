// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/communicator.hpp"

namespace halocline::comm::mpi {

/// What this MPI says of messages in GPU memory; MPI must be initialised. No standard has this question: CMake takes
/// the file for the MPI that it finds, or device_support_unknown.cpp.
[[nodiscard]] DeviceSupport device_support();

}  // namespace halocline::comm::mpi
