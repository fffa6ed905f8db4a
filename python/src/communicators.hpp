// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/communicator.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halocline::python {

/// The text of MPI_Get_library_version() of the MPI that this module was built with, or of the plug-in that was loaded; nothing
/// without MPI.
[[nodiscard]] std::optional<std::string> mpi_library();

/// The communicator with this Fortran handle, duplicated; collective. MPI must be initialised. timeout: as comm::from_mpi() has it.
/// Throws CapabilityError if the module has no MPI.
[[nodiscard]] comm::Communicator from_fortran_handle(std::int64_t handle, Duration timeout);

/// Plug-ins for MPIs. One is chosen by the MPI that the process has loaded (_mpi.py).
namespace plugins {

/// The name of each and of its library (SONAME); empty in builds that link an MPI, or have none.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> all();
/// Whether the process has loaded a library of this name.
[[nodiscard]] bool is_loaded(const std::string& library);
/// Loads a plug-in, which mpi_library() and from_fortran_handle() use from then on, and returns mpi_library(). Its MPI must be loaded.
/// Throws CapabilityError with the loader's text.
std::string load(const std::string& file);

}  // namespace plugins
}  // namespace halocline::python
