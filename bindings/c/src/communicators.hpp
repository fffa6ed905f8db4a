// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/communicator.hpp>

#include <cstdint>

namespace halocline::c {

/// The communicator with this Fortran handle, duplicated; collective. Throws CapabilityError in a build without MPI.
[[nodiscard]] comm::Communicator from_fortran_handle(std::int64_t handle, Duration timeout);

}  // namespace halocline::c
