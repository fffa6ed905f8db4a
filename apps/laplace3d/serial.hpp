// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "laplace3d/problem.hpp"

namespace laplace3d {

/// The same problem without Halocline: one array with its fixed layer, one thread, cell by cell; the same operations in the
/// same order. The inner points after this number of steps, x fastest.
template <typename T>
[[nodiscard]] std::vector<T> solve_serially(const Problem& problem, std::int64_t steps);

}  // namespace laplace3d
