// SPDX-License-Identifier: BSD-3-Clause
#include "expected.hpp"

namespace profiled {
namespace {

std::vector<int> in(256), out(256);

void along_a_line() {
  MPI_Comm line = MPI_COMM_NULL;
  const int open = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &line);
  MPI_Neighbor_alltoall(out.data(), 2, MPI_INT, in.data(), 2, MPI_INT, line);
  MPI_Neighbor_allgather(out.data(), 3, MPI_INT, in.data(), 3, MPI_INT, line);
  const int counts[] = {4, 5};  // to the rank below, to the rank above
  const int from_below_and_above[] = {5, 4};
  const int offsets[] = {0, 8};
  MPI_Request request;
  MPI_Ineighbor_alltoallv(out.data(), counts, offsets, MPI_INT, in.data(), from_below_and_above, offsets, MPI_INT, line,
                          &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&line);
  for (int r = 0; r + 1 < size; ++r) {
    expect(r, r + 1, 8 + 12 + 20, 3);
    expect(r + 1, r, 8 + 12 + 16, 3);
  }
}

/// Each rank sends to the one after the next, and receives from the one before the previous.
void along_a_graph() {
  MPI_Comm graph = MPI_COMM_NULL;
  const int source = previous(previous());
  const int destination = next(next());
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &source, MPI_UNWEIGHTED, 1, &destination, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  MPI_Neighbor_alltoall(out.data(), 6, MPI_INT, in.data(), 6, MPI_INT, graph);
  MPI_Comm_free(&graph);
  for (int r = 0; r < size; ++r) expect(r, next(next(r)), 24);
}

}  // namespace

void neighbourhoods() {
  along_a_line();
  along_a_graph();
}

/// Even and odd ranks; each sends to its partner, then one even rank to all odd ones.
void between_groups() {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &own);
  // Connecting the two groups is not counted: the program sends no messages for it.
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &both);
  if (rank < size / 2 * 2) {
    MPI_Sendrecv(out.data(), 7, MPI_INT, rank / 2, 0, in.data(), 7, MPI_INT, rank / 2, 0, both, MPI_STATUS_IGNORE);
  }
  for (int r = 0; r < size / 2 * 2; ++r) expect(r, r % 2 == 0 ? r + 1 : r - 1, 28);
  const int root = rank % 2 == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(out.data(), 8, MPI_INT, root, both);
  for (int r = 1; r < size; r += 2) expect(0, r, 32);
  MPI_Comm_free(&both);
  MPI_Comm_free(&own);
}

void one_sided() {
  std::vector<int> memory(64);
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(int)), sizeof(int), MPI_INFO_NULL,
                 MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(out.data(), 3, MPI_INT, next(), 0, 3, MPI_INT, window);
  MPI_Get(in.data(), 5, MPI_INT, next(), 8, 5, MPI_INT, window);
  MPI_Accumulate(out.data(), 7, MPI_INT, next(), 16, 7, MPI_INT, MPI_SUM, window);
  MPI_Put(out.data(), 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  for (int r = 0; r < size; ++r) {
    expect(r, next(r), 12 + 28, 2);
    expect(next(r), r, 20);
  }
}

}  // namespace profiled
