// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include "halocline/error.hpp"
#include "placement/detail/solvers.hpp"

namespace halocline::placement {
namespace {

/// Depth first over facilities 0, 1, 2, ... with locations ascending: leaves are visited in lexicographic order, and
/// the first of equal ones is kept.
class BranchAndBound {
 public:
  /// Only assignments that cost less than limit are searched for.
  BranchAndBound(const Assignment& problem, std::int64_t limit)
      : problem_(problem), bound_(problem), limit_(limit), location_of_(static_cast<std::size_t>(problem.n)) {}

  void run() { descend(0, 0, (std::uint32_t{1} << problem_.n) - 1); }
  [[nodiscard]] const std::vector<int>& best() const { return best_; }
  [[nodiscard]] std::int64_t visited() const { return visited_; }

 private:
  /// Below this many free facilities, trying them all is cheaper than a bound.
  static constexpr int worth_a_bound = 4;

  void descend(int placed, std::int64_t cost, std::uint32_t free) {
    ++visited_;
    if (placed == problem_.n) {
      limit_ = cost;
      best_ = location_of_;
      return;
    }
    std::int64_t least = cost;
    if (problem_.n - placed >= worth_a_bound) least += bound_.remaining(location_of_, placed, free);
    // Compared in each iteration, because a leaf found meanwhile may have lowered the limit.
    for (int a = 0; a < problem_.n && least < limit_; ++a) {
      if (((free >> a) & 1u) == 0) continue;
      const std::int64_t with_this = cost + added(placed, a);
      if (with_this >= limit_) continue;  // entries are 0 or more, so the rest cannot reduce the cost
      location_of_[static_cast<std::size_t>(placed)] = a;
      descend(placed + 1, with_this, free & ~(std::uint32_t{1} << a));
    }
  }

  /// Returns the cost of facility i at location a with itself and with the facilities before it.
  [[nodiscard]] std::int64_t added(int facility, int location) const {
    const auto n = static_cast<std::size_t>(problem_.n);
    const auto i = static_cast<std::size_t>(facility);
    const auto a = static_cast<std::size_t>(location);
    const std::int64_t* f = problem_.flow.data();
    const std::int64_t* d = problem_.distance.data();
    std::int64_t cost = f[i * n + i] * d[a * n + a];
    for (std::size_t j = 0; j < i; ++j) {
      const auto b = static_cast<std::size_t>(location_of_[j]);
      cost += f[i * n + j] * d[a * n + b] + f[j * n + i] * d[b * n + a];
    }
    return cost;
  }

  const Assignment& problem_;
  detail::LowerBound bound_;
  std::int64_t limit_;
  std::vector<int> location_of_;
  std::vector<int> best_;
  std::int64_t visited_ = 0;
};

}  // namespace

std::vector<int> solve_exact(const Assignment& problem, std::int64_t* visited) {
  if (problem.n > detail::most_facilities) {
    throw InvalidArgument(
        fmt::format("number of facilities for the exact solver is {}; allowed is {} at most (method "
                    "'craft' takes any number)",
                    problem.n, detail::most_facilities));
  }
  // A good start prunes most of the tree. The limit is its cost plus one, so that assignments of equal cost are still
  // found, the lexicographically smallest first.
  const std::int64_t start = problem.cost(solve_craft(problem));
  BranchAndBound search(problem, start + 1);
  search.run();
  if (visited != nullptr) *visited = search.visited();
  return search.best();
}

}  // namespace halocline::placement
