#pragma once

#include <cstdint>

#include "halocline/core/direction.hpp"
#include "halocline/core/vec3.hpp"

namespace halocline::bench {

/// What every baseline exchanges: a periodic domain of equal blocks, one a GPU, all 26 directions, fp32 fields.
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

/// The block that lies in a direction, the domain being periodic.
[[nodiscard]] inline std::int64_t neighbour_of(const Workload& workload, const Vec3& position, Direction d) {
  Vec3 there;
  for (int dim = 0; dim < 3; ++dim) {
    there[dim] = (position[dim] + d[dim] + workload.grid[dim]) % workload.grid[dim];
  }
  return (there.z * workload.grid.y + there.y) * workload.grid.x + there.x;
}

/// Elements that are sent towards d, all fields together.
[[nodiscard]] inline std::int64_t elements_towards(const Workload& workload, Direction d) {
  std::int64_t cells = workload.fields;
  for (int dim = 0; dim < 3; ++dim) cells *= d[dim] == 0 ? workload.cells[dim] : workload.radius;
  return cells;
}

}  // namespace halocline::bench
