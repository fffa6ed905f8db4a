// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>
#include <utility>

#include "placement/detail/solvers.hpp"

namespace halocline::placement {
namespace {

/// Swaps the best pair until no swap helps; ties go to the first pair. Returns the final cost.
std::int64_t improve(const Assignment& problem, std::vector<int>& location_of) {
  std::int64_t cost = problem.cost(location_of);
  while (true) {
    std::int64_t best = 0;
    std::pair<int, int> swap{0, 0};
    for (int r = 0; r < problem.n; ++r) {
      for (int s = r + 1; s < problem.n; ++s) {
        const std::int64_t delta = detail::swap_delta(problem, location_of, r, s);
        if (delta < best) {
          best = delta;
          swap = {r, s};
        }
      }
    }
    if (best == 0) return cost;
    cost += best;
    std::swap(location_of[static_cast<std::size_t>(swap.first)], location_of[static_cast<std::size_t>(swap.second)]);
  }
}

}  // namespace

std::int64_t detail::swap_delta(const Assignment& problem, std::span<const int> location_of, int r, int s) {
  const auto n = static_cast<std::size_t>(problem.n);
  const auto i = static_cast<std::size_t>(r);
  const auto j = static_cast<std::size_t>(s);
  const std::int64_t* f = problem.flow.data();
  const std::int64_t* d = problem.distance.data();
  const auto a = static_cast<std::size_t>(location_of[i]);
  const auto b = static_cast<std::size_t>(location_of[j]);
  std::int64_t delta = (f[i * n + i] - f[j * n + j]) * (d[b * n + b] - d[a * n + a]) +
                       (f[i * n + j] - f[j * n + i]) * (d[b * n + a] - d[a * n + b]);
  for (std::size_t k = 0; k < n; ++k) {
    if (k == i || k == j) continue;
    const auto c = static_cast<std::size_t>(location_of[k]);
    delta += (f[k * n + i] - f[k * n + j]) * (d[c * n + b] - d[c * n + a]) +
             (f[i * n + k] - f[j * n + k]) * (d[b * n + c] - d[a * n + c]);
  }
  return delta;
}

std::vector<int> solve_craft(const Assignment& problem) {
  detail::check(problem);
  std::vector<int> best(static_cast<std::size_t>(problem.n));
  std::iota(best.begin(), best.end(), 0);
  std::int64_t least = improve(problem, best);
  // A local minimum may be poor, and small problems cost nothing, so a few more starts are tried, always the same ones.
  const int starts = problem.n <= 16 ? 4 * problem.n : 4;
  for (int start = 1; start <= starts; ++start) {
    std::vector<int> location_of = solve_random(problem.n, static_cast<std::uint64_t>(start));
    const std::int64_t cost = improve(problem, location_of);
    if (cost < least) {
      least = cost;
      best = std::move(location_of);
    }
  }
  return best;
}

}  // namespace halocline::placement
