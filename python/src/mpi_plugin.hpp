// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/communicator.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace halocline::python {

/// What a plug-in gives the module: the functions of communicators.hpp for one MPI.
struct MpiPlugin {
  std::optional<std::string> (*library)() = nullptr;
  comm::Communicator (*from_fortran_handle)(std::int64_t handle, Duration timeout) = nullptr;
};

/// The type of halocline_mpi_plugin, which a plug-in exports. wait_hook: as set_wait_hook() takes it; a plug-in has its own copy of the
/// library's waits. Module and plug-in are of one build, and a plug-in stays loaded: its communicators are objects of its classes.
using PlugMpi = MpiPlugin (*)(void (*wait_hook)());
constexpr const char* plug_mpi = "halocline_mpi_plugin";

}  // namespace halocline::python
