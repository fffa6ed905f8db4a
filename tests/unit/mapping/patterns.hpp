#pragma once

#include <array>
#include <string>
#include <vector>

#include "halocline/mapping/communication_matrix.hpp"

namespace halocline::mapping {

/// The patterns of MAGC's micro-benchmarks, section VI.A.
enum class Pattern { stencil_2d, stencil_3d, columns };
inline constexpr std::array all_patterns{Pattern::stencil_2d, Pattern::stencil_3d, Pattern::columns};

inline std::string name_of(Pattern pattern) {
  return pattern == Pattern::stencil_2d ? "2D" : pattern == Pattern::stencil_3d ? "3D" : "COL";
}

/// Process grids, row-major: the first dimension is the slowest, as in MPI_Cart_create.
inline std::vector<int> grid_of(Pattern pattern) {
  return pattern == Pattern::stencil_2d ? std::vector{8, 8} : std::vector{4, 4, 4};
}

/// 64 processes; no wraparound. weighted: stencils send 3 times as much along the first dimension.
inline CommunicationMatrix pattern_matrix(Pattern pattern, bool weighted, std::int64_t bytes = 1 << 20) {
  const std::vector<int> grid = grid_of(pattern);
  CommunicationMatrix matrix(64);
  for (int rank = 0; rank < 64; ++rank) {
    int stride = 64;
    for (std::size_t dim = 0; dim < grid.size(); ++dim) {
      stride /= grid[dim];
      const int here = rank / stride % grid[dim];
      for (int there = 0; there < grid[dim]; ++there) {
        const bool neighbour = there == here - 1 || there == here + 1;
        if (pattern == Pattern::columns ? dim == 0 && there != here : neighbour) {
          const std::int64_t times = weighted && pattern != Pattern::columns && dim == 0 ? 3 : 1;
          matrix.add(rank, rank + (there - here) * stride, times * bytes);
        }
      }
    }
  }
  return matrix;
}

}  // namespace halocline::mapping
