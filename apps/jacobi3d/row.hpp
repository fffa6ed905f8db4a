// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "halocline/box.hpp"
#include "halocline/view.hpp"
#include "jacobi3d/problem.hpp"

namespace jacobi3d {

/// The difference between two steps.
struct Residual {
  double max = 0;  ///< largest absolute difference of a cell
  double l2 = 0;   ///< square root of the sum of squared differences over all cells
};

/// One step for the cells of a box, of the domain or of halos beyond its edge: target = average of the source cell and
/// its six neighbours, spheres held fixed. Each row is computed in one loop without branches, then the part of it that
/// a sphere holds is put back. Additions are in the order x-1, x+1, y-1, y+1, z-1, z+1, centre; then one
/// multiplication by 1/7.
template <typename T>
void update_box(const Problem& problem, const halocline::Box& box, const halocline::View<const T>& source,
                const halocline::View<T>& target);

/// What the cells of a row are set to at the start: cells of a box.
template <typename T>
void initialise_box(const Problem& problem, const halocline::Box& box, const halocline::View<T>& target);

/// Largest absolute difference, and sum (not its root) of squared differences in doubles, cell by cell, x
/// fastest.
struct Difference {
  double max = 0;
  double sum_of_squares = 0;
};
template <typename T>
[[nodiscard]] Difference difference(const halocline::Box& box, const halocline::View<const T>& before,
                                    const halocline::View<const T>& after);

}  // namespace jacobi3d
