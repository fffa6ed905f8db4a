// SPDX-License-Identifier: BSD-3-Clause
// As many ranks as mpirun starts, with two host devices each.
#include <mpi.h>

#include "check.h"
#include "heat.h"

long checks = 0;

int main(int argc, char** argv) {
  const halocline_stencil stencil = halocline_stencil_star(1);
  halocline_options options = HALOCLINE_OPTIONS_INIT;
  options.backend = HALOCLINE_BACKEND_HOST;
  options.devices = 2;
  halocline_domain* domain = NULL;
  FAILS(halocline_domain_create_mpi(heat_extent, &stencil, 0, &options, &domain), HALOCLINE_INVALID_ARGUMENT,
        "MPI is not initialised");
  MPI_Init(&argc, &argv);
  FAILS(halocline_domain_create_mpi(heat_extent, &stencil, MPI_Comm_c2f(MPI_COMM_NULL), &options, &domain),
        HALOCLINE_INVALID_ARGUMENT, "communicator");

  // The original may be freed.
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  OK(halocline_domain_create_mpi(heat_extent, &stencil, MPI_Comm_c2f(own), &options, &domain));
  MPI_Comm_free(&own);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  halocline_field field;
  OK(halocline_domain_add_field(domain, "u", HALOCLINE_F64, NULL, &field));
  OK(halocline_domain_plan(domain));
  int32_t domain_rank = -1, domain_size = -1;
  OK(halocline_domain_rank(domain, &domain_rank));
  OK(halocline_domain_size(domain, &domain_size));
  CHECK(domain_rank == rank && domain_size == size);
  OK(halocline_domain_close(domain));
  OK(halocline_domain_destroy(&domain));

  OK(halocline_domain_create_mpi(heat_extent, &stencil, MPI_Comm_c2f(MPI_COMM_WORLD), &options, &domain));
  heat_result result = heat_run(domain);

  // What differs on one rank is an error on all of them.
  options.steps_per_exchange = rank == 0 ? 1 : 2;
  OK(halocline_domain_create_mpi(heat_extent, &stencil, MPI_Comm_c2f(MPI_COMM_WORLD), &options, &domain));
  OK(halocline_domain_add_field(domain, "u", HALOCLINE_F64, NULL, &field));
  if (size > 1) FAILS(halocline_domain_plan(domain), HALOCLINE_INVALID_ARGUMENT, "steps_per_exchange");
  OK(halocline_domain_close(domain));
  OK(halocline_domain_destroy(&domain));

  MPI_Allreduce(MPI_IN_PLACE, &result, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("heat on %d ranks: %ld cells, %ld wrong\n", size, result.cells, result.wrong);
  MPI_Finalize();
  return result.cells == 20 * 18 * 15 && result.wrong == 0 ? 0 : 1;
}
