// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "expected.hpp"

namespace profiled {
namespace {

std::vector<int> in(512), out(512);

/// A binomial tree, counted from the root: each rank's parent, and the number of ranks below it.
int parent(int v) { return v & (v - 1); }
int below(int v) {
  int ranks = 1;
  for (int child = v + 1; child < size; ++child) {
    if (parent(child) == v) ranks += below(child);
  }
  return ranks;
}
int place(int v, int root) { return (v + root) % size; }

void expect_to_parents(int root, int block, bool by_subtree) {
  for (int v = 1; v < size; ++v) {
    expect(place(v, root), place(parent(v), root), block * (by_subtree ? below(v) : 1));
  }
}
void expect_from_parents(int root, int block, bool by_subtree) {
  for (int v = 1; v < size; ++v) {
    expect(place(parent(v), root), place(v, root), block * (by_subtree ? below(v) : 1));
  }
}

void expect_all_reduce(int bytes) {
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  const int extra = size - power;
  std::vector<int> taking_part;
  for (int r = 0; r < size; ++r) {
    if (r >= 2 * extra || r % 2 == 1) taking_part.push_back(r);
  }
  for (int r = 0; r < 2 * extra; r += 2) {
    expect(r, r + 1, bytes);
    expect(r + 1, r, bytes);
  }
  for (int mask = 1; mask < power; mask *= 2) {
    for (int i = 0; i < power; ++i) {
      expect(taking_part[static_cast<std::size_t>(i)], taking_part[static_cast<std::size_t>(i ^ mask)], bytes);
    }
  }
}

void trees() {
  const int root = size - 1;
  MPI_Bcast(out.data(), 3, MPI_INT, root, MPI_COMM_WORLD);
  expect_from_parents(root, 12, false);
  MPI_Reduce(out.data(), in.data(), 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  expect_to_parents(0, 16, false);
  MPI_Gather(out.data(), 5, MPI_INT, in.data(), 5, MPI_INT, root, MPI_COMM_WORLD);
  expect_to_parents(root, 20, true);
  if (rank == 0) {
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), 5, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    MPI_Gather(out.data(), 5, MPI_INT, nullptr, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  }
  expect_to_parents(0, 20, true);
  MPI_Scatter(out.data(), 6, MPI_INT, in.data(), 6, MPI_INT, root, MPI_COMM_WORLD);
  expect_from_parents(root, 24, true);
}

/// rank + 1 elements for each rank, contiguous.
struct Blocks {
  std::vector<int> counts, offsets;
  Blocks() {
    int end = 0;
    for (int r = 0; r < size; ++r) {
      counts.push_back(r + 1);
      offsets.push_back(end);
      end += r + 1;
    }
  }
};

void by_rank() {
  const Blocks blocks;
  const auto& [counts, offsets] = blocks;
  MPI_Gatherv(out.data(), rank + 1, MPI_INT, in.data(), counts.data(), offsets.data(), MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatterv(out.data(), counts.data(), offsets.data(), MPI_INT, in.data(), rank + 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int r = 1; r < size; ++r) {
    expect(r, 0, 4 * (r + 1));
    expect(0, r, 4 * (r + 1));
  }
  MPI_Allgather(out.data(), 2, MPI_INT, in.data(), 2, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), 2, MPI_INT, MPI_COMM_WORLD);
  expect_ring(2 * 8 * (size - 1), 2 * (size - 1));
  MPI_Allgatherv(out.data(), rank + 1, MPI_INT, in.data(), counts.data(), offsets.data(), MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) {
    expect(r, next(r), 4 * (size * (size + 1) / 2 - (next(r) + 1)), size - 1);
  }
  MPI_Alltoall(out.data(), 3, MPI_INT, in.data(), 3, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), 3, MPI_INT, MPI_COMM_WORLD);
  const std::vector<int> same(static_cast<std::size_t>(size), rank + 1);
  std::vector<int> apart(offsets);
  for (int r = 0; r < size; ++r) apart[static_cast<std::size_t>(r)] = r * (rank + 1);
  MPI_Alltoallv(out.data(), counts.data(), offsets.data(), MPI_INT, in.data(), same.data(), apart.data(), MPI_INT,
                MPI_COMM_WORLD);
  for (int from = 0; from < size; ++from) {
    for (int to = 0; to < size; ++to) {
      if (from != to) expect(from, to, 2 * 12 + 4 * (to + 1), 3);
    }
  }
}

void reductions() {
  const Blocks blocks;
  MPI_Allreduce(out.data(), in.data(), 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, in.data(), 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_all_reduce(8);
  expect_all_reduce(12);
  MPI_Reduce_scatter(out.data(), in.data(), blocks.counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(out.data(), in.data(), 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int from = 0; from < size; ++from) {
    for (int to = 0; to < size; ++to) {
      if (from != to) expect(from, to, 4 * (to + 1) + 20, 2);
    }
  }
  MPI_Scan(out.data(), in.data(), 6, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Exscan(out.data(), in.data(), 7, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int from = 0; from + 1 < size; ++from) expect(from, from + 1, 24 + 28, 2);
}

}  // namespace

void collectives() {
  trees();
  by_rank();
  reductions();
}

void nonblocking_collectives() {
  MPI_Request request;
  MPI_Ibcast(out.data(), 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_from_parents(0, 4, false);
  MPI_Iallreduce(out.data(), in.data(), 9, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_all_reduce(36);
  MPI_Ialltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int from = 0; from < size; ++from) {
    for (int to = 0; to < size; ++to) {
      if (from != to) expect(from, to, 4);
    }
  }
}

}  // namespace profiled
