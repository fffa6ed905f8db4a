// SPDX-License-Identifier: BSD-3-Clause
#include "placement/lower_bound.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "placement/detail/solvers.hpp"

namespace halocline::placement::detail {
namespace {

constexpr int size = most_facilities;

/// Returns the least total of costs[i][column_of(i)] over all bijections of m rows and columns. O(m^3). Source: Kuhn's
/// and Munkres' Hungarian method, by shortest augmenting paths with potentials.
std::int64_t cheapest_matching(const std::array<std::array<std::int64_t, size>, size>& costs, std::size_t m) {
  constexpr std::int64_t infinity = std::numeric_limits<std::int64_t>::max();
  // Rows and columns count from 1; 0 stands for "none".
  std::array<std::int64_t, size + 1> row_potential{};
  std::array<std::int64_t, size + 1> column_potential{};
  std::array<std::size_t, size + 1> row_of{};
  std::array<std::size_t, size + 1> came_from{};
  for (std::size_t row = 1; row <= m; ++row) {
    std::array<std::int64_t, size + 1> slack;
    slack.fill(infinity);
    std::array<bool, size + 1> seen{};
    row_of[0] = row;
    std::size_t column = 0;
    while (row_of[column] != 0) {
      seen[column] = true;
      const std::size_t r = row_of[column];
      std::int64_t step = infinity;
      std::size_t next = 0;
      for (std::size_t c = 1; c <= m; ++c) {
        if (seen[c]) continue;
        const std::int64_t reduced = costs[r - 1][c - 1] - row_potential[r] - column_potential[c];
        if (reduced < slack[c]) {
          slack[c] = reduced;
          came_from[c] = column;
        }
        if (slack[c] < step) {
          step = slack[c];
          next = c;
        }
      }
      for (std::size_t c = 0; c <= m; ++c) {
        if (seen[c]) {
          row_potential[row_of[c]] += step;
          column_potential[c] -= step;
        } else if (c > 0) {
          slack[c] -= step;
        }
      }
      column = next;
    }
    while (column != 0) {
      row_of[column] = row_of[came_from[column]];
      column = came_from[column];
    }
  }
  return -column_potential[0];
}

}  // namespace

LowerBound::LowerBound(const Assignment& problem) : problem_(problem) {
  const auto n = static_cast<std::size_t>(problem.n);
  for (std::size_t row = 0; row < n; ++row) {
    const std::int64_t* f = problem.flow.data() + row * n;
    const std::int64_t* d = problem.distance.data() + row * n;
    std::iota(flow_order_[row].begin(), flow_order_[row].end(), 0);
    std::iota(distance_order_[row].begin(), distance_order_[row].end(), 0);
    std::sort(flow_order_[row].begin(), flow_order_[row].begin() + problem.n,
              [f](int a, int b) { return f[a] < f[b]; });
    std::sort(distance_order_[row].begin(), distance_order_[row].begin() + problem.n,
              [d](int a, int b) { return d[a] > d[b]; });
  }
}

// The cost of facility i at location a has two parts: its exchange with the placed facilities, which is exact, and its
// exchange with the others, which is at least the product of its flows, ascending, and a's distances to free locations,
// descending. The cheapest matching of such costs is a lower bound of all completions (Gilmore 1962, Lawler 1963).
std::int64_t LowerBound::remaining(std::span<const int> location_of, int placed, std::uint32_t free) {
  const auto n = static_cast<std::size_t>(problem_.n);
  const auto first = static_cast<std::size_t>(placed);
  const std::size_t m = n - first;
  if (m == 0) return 0;
  const std::int64_t* f = problem_.flow.data();
  const std::int64_t* d = problem_.distance.data();
  for (std::size_t i = first; i < n; ++i) {
    std::size_t filled = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const auto j = static_cast<std::size_t>(flow_order_[i][k]);
      if (j >= first && j != i) flows_[i - first][filled++] = f[i * n + j];
    }
  }
  std::array<std::size_t, size> locations{};
  std::size_t column = 0;
  for (std::size_t a = 0; a < n; ++a) {
    if (((free >> a) & 1u) == 0) continue;
    std::size_t filled = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const auto b = static_cast<std::size_t>(distance_order_[a][k]);
      if (((free >> b) & 1u) != 0 && b != a) distances_[column][filled++] = d[a * n + b];
    }
    locations[column++] = a;
  }
  for (std::size_t row = 0; row < m; ++row) {
    const std::size_t i = first + row;
    for (column = 0; column < m; ++column) {
      const std::size_t a = locations[column];
      std::int64_t cost = f[i * n + i] * d[a * n + a];
      for (std::size_t j = 0; j < first; ++j) {
        const auto b = static_cast<std::size_t>(location_of[j]);
        cost += f[i * n + j] * d[a * n + b] + f[j * n + i] * d[b * n + a];
      }
      for (std::size_t k = 0; k + 1 < m; ++k) cost += flows_[row][k] * distances_[column][k];
      costs_[row][column] = cost;
    }
  }
  return cheapest_matching(costs_, m);
}

}  // namespace halocline::placement::detail

namespace halocline::placement {

std::int64_t lower_bound(const Assignment& problem) {
  detail::check(problem);
  if (problem.n > detail::most_facilities) {
    throw InvalidArgument(fmt::format("number of facilities for the lower bound is {}; allowed is {} at most",
                                      problem.n, detail::most_facilities));
  }
  return detail::LowerBound(problem).remaining({}, 0, (std::uint32_t{1} << problem.n) - 1);
}

}  // namespace halocline::placement
