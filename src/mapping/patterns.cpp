// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/patterns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <random>

#include "halocline/error.hpp"

namespace halocline::mapping {
namespace {

constexpr int weight = 3;  // of messages along the first dimension, as in the paper

using Grid = std::array<int, 3>;

void check_ranks(int ranks) {
  if (ranks < 1) throw InvalidArgument(fmt::format("a pattern of {} ranks; allowed is 1 or more", ranks));
}

void check_bytes(std::int64_t bytes) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / weight;
  if (bytes < 0 || bytes > most) {
    throw InvalidArgument(fmt::format("a message of a pattern has {} bytes; allowed is 0 to {}", bytes, most));
  }
}

void check(const PatternRequest& request) {
  check_ranks(request.ranks);
  check_bytes(request.bytes);
  if (request.pattern == Pattern::alltoall && (request.weighted || request.periodic)) {
    throw InvalidArgument(fmt::format("the pattern col is {}; allowed is neither weighted nor periodic",
                                      request.weighted ? "weighted" : "periodic"));
  }
}

int dimensions(Pattern pattern) { return pattern == Pattern::stencil_2d ? 2 : 3; }

/// Returns the most even factors: those with the least sum and, among these, the smallest largest factor.
Grid balanced(int ranks, int count) {
  Grid best{ranks, 1, 1};
  const auto sum = [](const Grid& g) { return std::int64_t{g[0]} + g[1] + g[2]; };
  for (int c = 1; count == 3 ? c <= ranks / c / c : c == 1; ++c) {
    if (ranks % c != 0) continue;
    const int rest = ranks / c;
    for (int b = c; b <= rest / b; ++b) {
      if (rest % b != 0) continue;
      const Grid grid{rest / b, b, c};
      if (sum(grid) < sum(best)) best = grid;
    }
  }
  return best;
}

Grid coordinates_of(int rank, const Grid& grid) {
  return {rank / (grid[1] * grid[2]), rank / grid[2] % grid[1], rank % grid[2]};
}

int rank_at(const Grid& c, const Grid& grid) { return (c[0] * grid[1] + c[1]) * grid[2] + c[2]; }

std::vector<PatternMessage> stencil(const PatternRequest& request, const Grid& grid, int rank) {
  std::vector<PatternMessage> messages;
  for (int d = 0; d < dimensions(request.pattern); ++d) {
    const auto dimension = static_cast<std::size_t>(d);
    const int extent = grid[dimension];
    for (const int side : {-1, 1}) {
      Grid at = coordinates_of(rank, grid);
      int& place = at[dimension];
      place += side;
      if (request.periodic) place = (place + extent) % extent;
      if (place < 0 || place >= extent) continue;
      const int to = rank_at(at, grid);
      if (to == rank) continue;
      messages.push_back({to, request.bytes * (request.weighted && d == 0 ? weight : 1), d, side});
    }
  }
  return messages;
}

}  // namespace

std::string_view to_string(Pattern pattern) {
  switch (pattern) {
    case Pattern::stencil_2d: return "2d";
    case Pattern::stencil_3d: return "3d";
    case Pattern::alltoall: return "col";
  }
  throw InternalError("a pattern without a name");
}

std::array<int, 3> grid_of(Pattern pattern, int ranks) {
  check_ranks(ranks);
  return balanced(ranks, dimensions(pattern));
}

std::vector<PatternMessage> messages_of(const PatternRequest& request, int rank) {
  check(request);
  if (rank < 0 || rank >= request.ranks) {
    throw InvalidArgument(fmt::format("the rank of a pattern is {}; allowed is 0 to {}", rank, request.ranks - 1));
  }
  const Grid grid = grid_of(request.pattern, request.ranks);
  if (request.pattern != Pattern::alltoall) return stencil(request, grid, rank);
  std::vector<PatternMessage> messages;
  Grid at = coordinates_of(rank, grid);
  for (at[0] = 0; at[0] < grid[0]; ++at[0]) {
    const int to = rank_at(at, grid);
    if (to != rank) messages.push_back({to, request.bytes, 0, 0});
  }
  return messages;
}

CommunicationMatrix matrix_of(const PatternRequest& request) {
  check(request);
  CommunicationMatrix matrix(request.ranks);
  for (int rank = 0; rank < request.ranks; ++rank) {
    for (const PatternMessage& m : messages_of(request, rank)) matrix.add(rank, m.to, m.bytes);
  }
  return matrix;
}

CommunicationMatrix hoomd_like(int ranks, std::int64_t bytes) {
  return matrix_of({.pattern = Pattern::stencil_3d, .ranks = ranks, .bytes = bytes, .periodic = true});
}

CommunicationMatrix irregular(const IrregularRequest& request) {
  check_ranks(request.ranks);
  check_bytes(request.bytes);
  if (request.degree < 0 || request.degree >= request.ranks) {
    throw InvalidArgument(
        fmt::format("the degree of a pattern is {}; allowed is 0 to {}", request.degree, request.ranks - 1));
  }
  CommunicationMatrix matrix(request.ranks);
  // Standard distributions differ between libraries; the engine does not.
  std::mt19937_64 random(request.seed);
  const auto below = [&random](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  // Each edge serves two ranks.
  const std::int64_t edges = std::int64_t{request.ranks} * request.degree / 2;
  for (std::int64_t edge = 0; edge < edges; ++edge) {
    const auto from = static_cast<int>(below(request.ranks));
    const auto to = static_cast<int>((from + 1 + below(request.ranks - 1)) % request.ranks);
    const std::int64_t bytes = 1 + below(std::max<std::int64_t>(request.bytes, 1));
    matrix.add(from, to, bytes);
    matrix.add(to, from, bytes);
  }
  return matrix;
}

}  // namespace halocline::mapping
