// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "halocline/box.hpp"
#include "halocline/direction.hpp"

namespace halocline::bench {

/// What every baseline exchanges: a periodic domain of equal blocks, one a rank, all 26 directions, fp32 fields.
struct Workload {
  Vec3 cells;  ///< of a block
  Vec3 grid;   ///< of blocks; block i is at (i % x, i / x % y, i / (x * y))
  std::int64_t radius = 3;
  int fields = 4;
};
inline constexpr int most_fields = 16;

[[nodiscard]] inline Vec3 position_of(const Workload& workload, std::int64_t block) {
  const Vec3& grid = workload.grid;
  return {block % grid.x, block / grid.x % grid.y, block / (grid.x * grid.y)};
}

/// The block at an offset from a position, the domain being periodic.
[[nodiscard]] inline std::int64_t neighbour_of(const Workload& workload, const Vec3& position, const Vec3& offset) {
  Vec3 there;
  for (int dim = 0; dim < 3; ++dim) {
    there[dim] = (position[dim] + offset[dim] + workload.grid[dim]) % workload.grid[dim];
  }
  return (there.z * workload.grid.y + there.y) * workload.grid.x + there.x;
}

/// A direction without its components in dimensions that are not cut; zero where the block is its own neighbour.
[[nodiscard]] inline Vec3 across_cuts(const Workload& workload, const Vec3& direction) {
  Vec3 left;
  for (int dim = 0; dim < 3; ++dim) left[dim] = workload.grid[dim] > 1 ? direction[dim] : 0;
  return left;
}

}  // namespace halocline::bench
