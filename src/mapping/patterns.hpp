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
  alltoall     ///< all to all in each group along the first dimension of a 3-D grid
};
inline constexpr std::array<Pattern, 3> all_patterns{Pattern::stencil_2d, Pattern::stencil_3d, Pattern::alltoall};
/// "2d", "3d", "col"
[[nodiscard]] std::string_view to_string(Pattern pattern);

struct PatternRequest {
  Pattern pattern = Pattern::stencil_2d;
  int ranks = 64;
  std::int64_t bytes = 1;  ///< of a message
  bool weighted = false;   ///< messages along the first dimension are 3 times larger; stencils only
  bool periodic = false;   ///< the grid wraps around; stencils only. The paper uses meshes.
};

/// Arranges ranks in a grid of a given number of dimensions, as close to a cube as their divisors allow, largest extent
/// first: 8 x 8 and 4 x 4 x 4 for 64. Throws InvalidArgument unless 1 <= ranks.
[[nodiscard]] std::array<int, 3> grid_of(Pattern pattern, int ranks);

/// One message that a rank sends in an iteration of a pattern.
struct PatternMessage {
  int to = 0;
  std::int64_t bytes = 0;
  int dimension = 0;  ///< along which the message is sent
  int side = 0;       ///< of the sender: -1 or 1; 0 in a group
  friend bool operator==(const PatternMessage&, const PatternMessage&) = default;
};

/// Returns the messages that a rank sends in an iteration, by dimension, then side; in a group, by receiver. Ranks are
/// arranged in the grid as by MPI_Cart_create: the last dimension varies fastest. A rank sends nothing to itself. If a
/// periodic dimension is 2 wide, both sides have the same neighbour. Throws InvalidArgument if the rank or the request
/// is impossible.
[[nodiscard]] std::vector<PatternMessage> messages_of(const PatternRequest& request, int rank);
/// Returns the messages of all ranks in an iteration.
[[nodiscard]] CommunicationMatrix matrix_of(const PatternRequest& request);

/// The traffic of HOOMD-blue as the paper describes it (its section VI.B): a 3-D stencil with wraparound, all messages
/// of the same size.
[[nodiscard]] CommunicationMatrix hoomd_like(int ranks, std::int64_t bytes);

struct IrregularRequest {
  int ranks = 64;
  int degree = 6;          ///< approximate number of partners of each rank
  std::int64_t bytes = 1;  ///< of the largest message; the smallest is 1
  std::uint64_t seed = 0;
};
/// Ranks with random partners, with the same traffic in both directions; the same for the same seed on every machine.
[[nodiscard]] CommunicationMatrix irregular(const IrregularRequest& request);

}  // namespace halocline::mapping
