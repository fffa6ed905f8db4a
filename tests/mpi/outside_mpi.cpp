// SPDX-License-Identifier: BSD-3-Clause
// Calls from_mpi() before MPI_Init and after MPI_Finalize.
#include <fmt/core.h>
#include <mpi.h>

#include <string>

#include "halocline/error.hpp"
#include "halocline/mpi.hpp"

using namespace halocline;

namespace {

std::string refusal() {
  try {
    static_cast<void>(comm::from_mpi(MPI_COMM_WORLD));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "(no error)";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string before = refusal();
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  fmt::print("before: {}\nafter: {}\n", before, refusal());
}
