// SPDX-License-Identifier: BSD-3-Clause
/* How many ranks MPI_Cart_create moves where it may: grids of 1 to 3 dimensions, with and without wraparound. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size, moved = 0, grids = 0;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    for (int wrap = 0; wrap < 2; ++wrap) {
      int extents[3] = {0, 0, 0}, around[3] = {wrap, wrap, wrap}, in_grid, mine, all;
      MPI_Comm grid;
      MPI_Dims_create(size, dimensions, extents);
      MPI_Cart_create(MPI_COMM_WORLD, dimensions, extents, around, 1, &grid);
      MPI_Comm_rank(grid, &in_grid);
      mine = in_grid != rank;
      MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      moved += all;
      ++grids;
      MPI_Comm_free(&grid);
    }
  }
  MPI_Get_library_version(version, &size);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) printf("%d ranks, %d grids: %d ranks moved. %.22s\n", size, grids, moved, version);
  return MPI_Finalize();
}
