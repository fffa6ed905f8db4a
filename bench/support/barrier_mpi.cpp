// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "support/barrier.hpp"

namespace halocline::bench {

void start_together(comm::RankGroup& world) {
  if (world.backend() == comm::CommBackend::mpi) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    world.barrier();
  }
}

}  // namespace halocline::bench
