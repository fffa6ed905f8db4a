// SPDX-License-Identifier: BSD-3-Clause
// Makes the calls of twin.F90, one by one, in C: both must have the same counts.
#include "twin.hpp"

namespace twin {

void collectives() {
  MPI_Request request = MPI_REQUEST_NULL;
  const std::vector<MPI_Datatype> types(64, MPI_INT);
  std::vector<int> bytes, bytes_apart;
  for (const int offset : offsets) bytes.push_back(4 * offset);
  for (const int offset : apart) bytes_apart.push_back(4 * offset);
  MPI_Bcast(out.data(), 3, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Reduce(out.data(), in.data(), 4, MPI_INT, MPI_SUM, size - 1, MPI_COMM_WORLD);
  MPI_Gather(out.data(), 5, MPI_INT, in.data(), 5, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Gatherv(out.data(), rank + 1, MPI_INT, in.data(), counts.data(), offsets.data(), MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatter(out.data(), 6, MPI_INT, in.data(), 6, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatterv(out.data(), counts.data(), offsets.data(), MPI_INT, in.data(), rank + 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allgather(out.data(), 2, MPI_INT, in.data(), 2, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), 3, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgatherv(out.data(), rank + 1, MPI_INT, in.data(), counts.data(), offsets.data(), MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoall(out.data(), 3, MPI_INT, in.data(), 3, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), 4, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(out.data(), counts.data(), offsets.data(), MPI_INT, in.data(), same.data(), apart.data(), MPI_INT,
                MPI_COMM_WORLD);
  MPI_Alltoallw(out.data(), counts.data(), bytes.data(), types.data(), in.data(), same.data(), bytes_apart.data(),
                types.data(), MPI_COMM_WORLD);
  MPI_Allreduce(out.data(), in.data(), 7, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, in.data(), 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter(out.data(), in.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(out.data(), in.data(), 9, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(out.data(), in.data(), 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Exscan(out.data(), in.data(), 11, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const MPI_Datatype nothing{};
  MPI_Allgather(MPI_IN_PLACE, 7, nothing, in.data(), 13, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgatherv(MPI_IN_PLACE, 7, nothing, in.data(), counts.data(), offsets.data(), MPI_INT, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), 12, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    MPI_Gather(out.data(), 12, MPI_INT, in.data(), 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  }
  MPI_Ibcast(out.data(), 3, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ireduce(out.data(), in.data(), 4, MPI_INT, MPI_SUM, size - 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Igather(out.data(), 5, MPI_INT, in.data(), 5, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Igatherv(out.data(), rank + 1, MPI_INT, in.data(), counts.data(), offsets.data(), MPI_INT, 0, MPI_COMM_WORLD,
               &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iscatter(out.data(), 6, MPI_INT, in.data(), 6, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iscatterv(out.data(), counts.data(), offsets.data(), MPI_INT, in.data(), rank + 1, MPI_INT, 0, MPI_COMM_WORLD,
                &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallgather(out.data(), 2, MPI_INT, in.data(), 2, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), 3, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallgatherv(out.data(), rank + 1, MPI_INT, in.data(), counts.data(), offsets.data(), MPI_INT, MPI_COMM_WORLD,
                  &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ialltoall(out.data(), 3, MPI_INT, in.data(), 3, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), 4, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ialltoallv(out.data(), counts.data(), offsets.data(), MPI_INT, in.data(), same.data(), apart.data(), MPI_INT,
                 MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ialltoallw(out.data(), counts.data(), bytes.data(), types.data(), in.data(), same.data(), bytes_apart.data(),
                 types.data(), MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallreduce(out.data(), in.data(), 7, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallreduce(MPI_IN_PLACE, in.data(), 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ireduce_scatter(out.data(), in.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ireduce_scatter_block(out.data(), in.data(), 9, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iscan(out.data(), in.data(), 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iexscan(out.data(), in.data(), 11, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void neighbourhoods() {
  MPI_Comm line = MPI_COMM_NULL;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  const int open = 0;
  const std::array threes{3, 3}, twelves{0, 12}, sent{5, 6}, received{6, 5};
  const std::array<MPI_Aint, 2> far{0, 48};
  const std::array both{MPI_INT, MPI_INT};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &line);
  const std::array around{previous, next};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around.data(), MPI_UNWEIGHTED, 2, around.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  MPI_Neighbor_allgather(out.data(), 2, MPI_INT, in.data(), 2, MPI_INT, line);
  MPI_Neighbor_allgatherv(out.data(), 3, MPI_INT, in.data(), threes.data(), twelves.data(), MPI_INT, line);
  MPI_Neighbor_alltoall(out.data(), 4, MPI_INT, in.data(), 4, MPI_INT, line);
  MPI_Neighbor_alltoallv(out.data(), sent.data(), twelves.data(), MPI_INT, in.data(), received.data(), twelves.data(),
                         MPI_INT, line);
  MPI_Neighbor_alltoallw(out.data(), threes.data(), far.data(), both.data(), in.data(), threes.data(), far.data(),
                         both.data(), ring);
  MPI_Ineighbor_allgather(out.data(), 2, MPI_INT, in.data(), 2, MPI_INT, line, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ineighbor_allgatherv(out.data(), 3, MPI_INT, in.data(), threes.data(), twelves.data(), MPI_INT, line, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ineighbor_alltoall(out.data(), 4, MPI_INT, in.data(), 4, MPI_INT, line, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ineighbor_alltoallv(out.data(), sent.data(), twelves.data(), MPI_INT, in.data(), received.data(), twelves.data(),
                          MPI_INT, line, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ineighbor_alltoallw(out.data(), threes.data(), far.data(), both.data(), in.data(), threes.data(), far.data(),
                          both.data(), ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&line);
  MPI_Comm_free(&ring);
}

void one_sided() {
  std::vector<int> memory(80);
  const int expected = 0;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Win_create(memory.data(), 320, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(out.data(), 3, MPI_INT, next, 0, 3, MPI_INT, window);
  MPI_Get(in.data(), 5, MPI_INT, next, 16, 5, MPI_INT, window);
  MPI_Accumulate(out.data(), 7, MPI_INT, next, 32, 7, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_lock_all(0, window);
  MPI_Rput(out.data(), 4, MPI_INT, next, 0, 4, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Rget(in.data(), 6, MPI_INT, next, 16, 6, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Raccumulate(out.data(), 8, MPI_INT, next, 32, 8, MPI_INT, MPI_SUM, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Rget_accumulate(out.data(), 9, MPI_INT, in.data(), 9, MPI_INT, next, 48, 9, MPI_INT, MPI_SUM, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Get_accumulate(out.data(), 10, MPI_INT, in.data(), 10, MPI_INT, next, 48, 10, MPI_INT, MPI_NO_OP, window);
  MPI_Fetch_and_op(out.data(), in.data(), MPI_INT, next, 64, MPI_SUM, window);
  MPI_Compare_and_swap(out.data(), &expected, in.data(), MPI_INT, next, 64, window);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

}  // namespace twin
