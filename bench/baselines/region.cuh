#pragma once

#include "baselines/block.cuh"

namespace halocline::bench {

/// A box of cells of the arrays, in elements from their first.
struct Region {
  std::int64_t x, y, z;
  std::int64_t nx, ny, nz;
};

/// Where the i-th cell of a region lies in the arrays, x fastest.
[[nodiscard]] inline __device__ std::int64_t cell_of(const Region& region, std::int64_t i, const FieldPointers& p) {
  const std::int64_t x = i % region.nx;
  const std::int64_t y = i / region.nx % region.ny;
  const std::int64_t z = i / (region.nx * region.ny);
  return (region.z + z) * p.pitch_z + (region.y + y) * p.pitch_y + region.x + x;
}

[[nodiscard]] inline Region sent_towards(const Workload& w, Direction d) {
  Vec3 at;
  Vec3 size;
  for (int dim = 0; dim < 3; ++dim) {
    size[dim] = d[dim] == 0 ? w.cells[dim] : w.radius;
    at[dim] = d[dim] > 0 ? w.cells[dim] : w.radius;
  }
  return {at.x, at.y, at.z, size.x, size.y, size.z};
}

/// What was sent towards d fills the halo on side -d.
[[nodiscard]] inline Region filled_by(const Workload& w, Direction d) {
  Region region = sent_towards(w, d);
  const auto start = [&](int dim) {
    return d[dim] == 0 ? w.radius : (d[dim] > 0 ? std::int64_t{0} : w.radius + w.cells[dim]);
  };
  region.x = start(0);
  region.y = start(1);
  region.z = start(2);
  return region;
}

}  // namespace halocline::bench
