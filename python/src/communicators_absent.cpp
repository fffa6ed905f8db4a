// SPDX-License-Identifier: BSD-3-Clause
#include "communicators.hpp"

#include <halocline/error.hpp>

namespace halocline::python {

std::optional<std::string> mpi_library() { return std::nullopt; }

comm::Communicator from_fortran_handle(std::int64_t /*handle*/, Duration /*timeout*/) {
  throw CapabilityError(
      "this build of halocline has no MPI; build it where mpicxx is found, or use comm=None in one process");
}

}  // namespace halocline::python
