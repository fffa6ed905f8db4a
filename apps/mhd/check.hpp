// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "mhd/mhd.hpp"
#include "mhd/model.hpp"

namespace mhd {

/// A solution compared with the model's.
///
/// Each value may differ from the model's by 2 roundings a step (Distance::roundings): epsilon times the sum of the absolute
/// values of the terms that the step adds in that cell. The rule holds for all time steps, spacings, orders and precisions. As
/// dt tends to
/// 0 it becomes the paper's rule, units in the last place of the value, which is reported with it.
struct Check {
  static constexpr double roundings_of_step = 2;
  std::array<Distance, field_count> of;
  std::int64_t steps = 0;
  [[nodiscard]] double allowed() const { return roundings_of_step * static_cast<double>(steps); }
  [[nodiscard]] bool passed() const;
  /// The paper's rule (Pekkilä et al., Section 5): each value within 2 units of its own last place, and 0 where the model has
  /// 0.
  [[nodiscard]] bool within_two_ulp() const;
};

/// Collective: rank 0 computes the model's solution after the same steps; others wait for it however long that takes. It computes
/// `planes` planes in z at a time, and those around them that they depend on, in memory for seven fp64 numbers a cell and field. The
/// same answer on all ranks. The solver must have begun with these values, and be without forcing.
template <typename T>
[[nodiscard]] Check check(halocline::Domain& domain, Solver<T>& solver, const Parameters& parameters, int order,
                          const InitialValues& start, std::span<const Stretch> stretches, std::int64_t planes = 64);

}  // namespace mhd
