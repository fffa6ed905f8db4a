// SPDX-License-Identifier: BSD-3-Clause
// A program with its own MPI communicator compiles and links; it is not run.
#include <halocline/mpi.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto world = halocline::comm::from_mpi(MPI_COMM_WORLD);
  const bool good = world->size() >= 1;
  world->close();
  MPI_Finalize();
  return good ? 0 : 1;
}
