// SPDX-License-Identifier: BSD-3-Clause
#include "communicators.hpp"

#include <halocline/mpi.hpp>

#include <array>

namespace halocline::python {

std::optional<std::string> mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return std::string(text.data(), static_cast<std::size_t>(length));
}

comm::Communicator from_fortran_handle(std::int64_t handle, Duration timeout) {
  return comm::from_mpi(MPI_Comm_f2c(static_cast<MPI_Fint>(handle)), timeout);
}

}  // namespace halocline::python
