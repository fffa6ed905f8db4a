#pragma once

#include <array>
#include <cstdint>

#include "mhd/mhd.hpp"
#include "mhd/model.hpp"

namespace mhd {

/// A solution beside the model's.
struct Check {
  std::array<Distance, field_count> of;
  /// What one step from random fields must keep: 2 ulp for each value. Of other runs: the largest difference as a part of
  /// the field's largest value is at most `allowed`.
  bool by_ulps = false;
  double allowed = 0;
  [[nodiscard]] bool passed() const;
};

/// Collective: rank 0 computes the model's solution after as many steps of dt, and needs memory for the fields five times over;
/// others wait for it however long that takes. The same answer on all ranks. The solver must have begun with these values, and be
/// without forcing.
template <typename T>
[[nodiscard]] Check check(halocline::Domain& domain, Solver<T>& solver, const Parameters& parameters, int order,
                          const InitialValues& start, bool random, std::int64_t steps, double dt);

}  // namespace mhd
