// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/box.hpp"
#include "halocline/view.hpp"
#include "laplace3d/problem.hpp"

namespace laplace3d {

/// One step for the cells of a box, on the calling thread, row by row. Reads a cell beyond the box on all sides.
template <typename T>
void update_box(const Problem& problem, const halocline::Box& box, const halocline::View<const T>& source,
                const halocline::View<T>& target);

/// Sets the cells of a box to initial_value().
template <typename T>
void initialise_box(const halocline::Box& box, const halocline::View<T>& target);

}  // namespace laplace3d
