// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/communicator.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace halocline::python {

/// The text of MPI_Get_library_version() of the MPI that this module was built with; nothing without MPI.
[[nodiscard]] std::optional<std::string> mpi_library();

/// The communicator with this Fortran handle, duplicated; collective. MPI must be initialised. Throws CapabilityError if the module
/// was built without MPI.
[[nodiscard]] comm::Communicator from_fortran_handle(std::int64_t handle);

}  // namespace halocline::python
