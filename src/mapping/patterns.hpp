// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mapping/communication_matrix.hpp"

/// Patterns of communication whose matrices are known without a run. The first three are the micro-benchmarks of the
/// MAGC paper (its section VI.A); `halocline bench patterns` runs them as an MPI program.
namespace halocline::mapping {

enum class Pattern : int {
  stencil_2d,  ///< 5 points: two neighbours along each of 2 dimensions
  stencil_3d,  ///< 7 points: two neighbours along each of 3 dimensions
  alltoall     ///< everybody with everybody in each group along the first dimension of a 3-D grid
};
inline constexpr std::array<Pattern, 3> all_patterns{Pattern::stencil_2d, Pattern::stencil_3d, Pattern::alltoall};
/// "2d", "3d", "col"
[[nodiscard]] std::string_view to_string(Pattern pattern);

struct PatternRequest {
  Pattern pattern = Pattern::stencil_2d;
  int ranks = 64;
  std::int64_t bytes = 1;  ///< of a message
  bool weighted = false;   ///< messages along the first dimension are 3 times larger; stencils only
  bool periodic = false;   ///< the grid wraps around; stencils only. The paper's are meshes.
};

/// Ranks as a grid of so many dimensions, as near to a cube as they divide, largest extent first: 8 x 8 and 4 x 4 x 4 for
/// 64. Throws InvalidArgument unless 1 <= ranks.
[[nodiscard]] std::array<int, 3> grid_of(Pattern pattern, int ranks);

/// One message that a rank sends in an iteration of a pattern.
struct PatternMessage {
  int to = 0;
  std::int64_t bytes = 0;
  int dimension = 0;  ///< along which
  int side = 0;       ///< of the sender: -1 or 1; 0 in a group
  friend bool operator==(const PatternMessage&, const PatternMessage&) = default;
};

/// What a rank sends in an iteration, by dimension, then side, in a group by receiver. Ranks lie in the grid as
/// MPI_Cart_create has them: the last dimension varies fastest. Nothing is sent to oneself. Where a periodic dimension is 2 wide, the same
/// neighbour is met on both sides. Throws InvalidArgument for a rank, or a request, that cannot be.
[[nodiscard]] std::vector<PatternMessage> messages_of(const PatternRequest& request, int rank);
/// What all ranks send in an iteration.
[[nodiscard]] CommunicationMatrix matrix_of(const PatternRequest& request);

/// As the paper describes the traffic of HOOMD-blue (its section VI.B): a 3-D stencil with wraparound, all messages alike.
[[nodiscard]] CommunicationMatrix hoomd_like(int ranks, std::int64_t bytes);

struct IrregularRequest {
  int ranks = 64;
  int degree = 6;          ///< partners of each rank, about
  std::int64_t bytes = 1;  ///< of the largest message; the smallest is 1
  std::uint64_t seed = 0;
};
/// Ranks with random partners, both ways alike; the same for the same seed on every machine.
[[nodiscard]] CommunicationMatrix irregular(const IrregularRequest& request);

}  // namespace halocline::mapping
