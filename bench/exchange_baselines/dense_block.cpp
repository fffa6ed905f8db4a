// SPDX-License-Identifier: BSD-3-Clause
#include "dense_block.hpp"

#include <algorithm>

#include "halocline/box.hpp"

namespace halocline::bench {

DenseBlock::DenseBlock(const Workload& workload)
    : workload_(workload), extent_(workload.cells + Vec3::filled(2 * workload.radius)) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  me_ = place_of(rank_);
  cells_.resize(static_cast<std::size_t>(extent_.volume()));
  data_ = cells_.data();
}

void DenseBlock::keep_cells_at(double* cells) {
  cells_ = {};
  data_ = cells;
}

void DenseBlock::fill() {
  const Vec3 r = Vec3::filled(workload_.radius);
  const Box owned{r, r + workload_.cells};
  for_each_cell(Box::of_extent(extent_),
                [&](const Vec3& p) { cell(p) = owned.contains(p) ? value_at(global(p)) : -1; });
  MPI_Barrier(MPI_COMM_WORLD);
}

std::int64_t DenseBlock::wrong_cells() {
  std::int64_t wrong = 0;
  for_each_cell(Box::of_extent(extent_), [&](const Vec3& p) { wrong += cell(p) != value_at(global(p)) ? 1 : 0; });
  return wrong;
}

DenseBlock::Part DenseBlock::sent_towards(Direction d) const {
  Part part;
  for (int dim = 0; dim < 3; ++dim) {
    part.size[dim] = d[dim] == 0 ? workload_.cells[dim] : workload_.radius;
    part.at[dim] = d[dim] > 0 ? workload_.cells[dim] : workload_.radius;
  }
  return part;
}

DenseBlock::Part DenseBlock::filled_by(Direction d) const {
  Part part = sent_towards(d);
  for (int dim = 0; dim < 3; ++dim) {
    if (d[dim] != 0) part.at[dim] = d[dim] > 0 ? 0 : workload_.radius + workload_.cells[dim];
  }
  return part;
}

void DenseBlock::copy_towards(Direction d, double* block) {
  const Part from = sent_towards(d);
  const Part to = filled_by(d);
  for (std::int64_t z = 0; z < from.size.z; ++z) {
    for (std::int64_t y = 0; y < from.size.y; ++y) {
      std::copy_n(&cell(from.at + Vec3{0, y, z}), from.size.x, block + offset(to.at + Vec3{0, y, z}));
    }
  }
}

Vec3 DenseBlock::place_of(int rank) const {
  const Vec3& grid = workload_.grid;
  return {rank % grid.x, rank / grid.x % grid.y, rank / (grid.x * grid.y)};
}

int DenseBlock::neighbour(int rank, Direction d) const {
  const Vec3& grid = workload_.grid;
  Vec3 other = place_of(rank);
  for (int dim = 0; dim < 3; ++dim) other[dim] = (other[dim] + d[dim] + grid[dim]) % grid[dim];
  return static_cast<int>((other.z * grid.y + other.y) * grid.x + other.x);
}

Vec3 DenseBlock::global(const Vec3& p) const {
  const Vec3 all = workload_.cells * workload_.grid;
  Vec3 g = p - Vec3::filled(workload_.radius) + me_ * workload_.cells;
  for (int dim = 0; dim < 3; ++dim) g[dim] = (g[dim] + all[dim]) % all[dim];
  return g;
}

}  // namespace halocline::bench
