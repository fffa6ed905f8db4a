// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/check.hpp"
#include "laplace3d/scheme.hpp"

namespace laplace3d {

/// What happens around the last cycles of a run. begin() and end() are called with all work done, and are collective.
struct Watch {
  std::int64_t cycles = 3;  ///< at most; fewer if the run has fewer
  std::function<void(halocline::Domain&)> begin;
  std::function<void(halocline::Domain&)> end;
};

/// A problem on some devices, and the schemes to solve it with, one after the other in the same arrays.
/// T is float or double. All methods are collective, and so is the constructor.
template <typename T>
class Case {
 public:
  /// Takes boundaries, partition and update from the problem, the rest from the options. Throws InvalidArgument where the
  /// domain's planes cannot be shared out evenly, or a slab is thinner than its two sides.
  /// own: as in Setting.
  Case(halocline::comm::RankGroup& comm, const Problem& problem, const halocline::DomainOptions& options,
       std::optional<OwnWay> own = std::nullopt);
  ~Case();
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  /// Makes a scheme ready, so that time() times steps alone. Throws InvalidArgument where it is not possible.
  void prepare(SchemeKind kind);
  /// Sets the initial state, does so many steps, whole cycles of the number of steps per exchange, and says how long they took: the
  /// slowest rank.
  double time(SchemeKind kind, std::int64_t steps);
  /// The same steps as time(), of which the last cycles are watched.
  void watch(SchemeKind kind, std::int64_t steps, const Watch& watch);
  /// The state that time() left, on rank 0; elsewhere nothing.
  [[nodiscard]] std::vector<T> gather();
  /// Compares that with solve_serially().
  [[nodiscard]] apps::Check check(std::int64_t steps);
  /// What a scheme chose to do, for people.
  [[nodiscard]] std::string detail(SchemeKind kind) const;

  [[nodiscard]] halocline::Domain& domain() { return domain_; }
  /// Of all ranks.
  [[nodiscard]] std::int64_t devices() const;
  void close();

 private:
  void initialise();
  Scheme& scheme(SchemeKind kind);

  Problem problem_;
  halocline::DomainOptions options_;
  halocline::Domain domain_;
  halocline::Field<T> field_;
  std::optional<OwnWay> own_;
  std::unique_ptr<Kernels<T>> kernels_;
  std::unique_ptr<halocline::comm::RankGroup> messages_;  ///< of schemes with a process a device
  std::map<SchemeKind, std::unique_ptr<Scheme>> schemes_;
};

/// Whether steps are whole cycles: throws InvalidArgument that names both numbers.
void check_steps(std::int64_t steps, int steps_per_exchange);

}  // namespace laplace3d
