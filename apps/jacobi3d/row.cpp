// SPDX-License-Identifier: BSD-3-Clause
#include "jacobi3d/row.hpp"

#include <algorithm>
#include <cmath>

namespace jacobi3d {
namespace {

/// The rows that a row's cells are updated from, each from the row's first cell on.
template <typename T>
struct Rows {
  const T* centre;
  const T* below_y;
  const T* above_y;
  const T* below_z;
  const T* above_z;
};

template <typename T>
T average(const Rows<T>& rows, std::int64_t i, T left, T right) {
  constexpr T seventh = T(1) / T(7);
  T sum = left + right;
  sum += rows.below_y[i];
  sum += rows.above_y[i];
  sum += rows.below_z[i];
  sum += rows.above_z[i];
  sum += rows.centre[i];
  return sum * seventh;
}

/// n cells of a row, between the cells left and right. The rows must not overlap target.
template <typename T>
void update_row(T* __restrict target, const Rows<T>& rows, T left, T right, std::int64_t n) {
  const T* centre = rows.centre;
  target[0] = average(rows, 0, left, n == 1 ? right : centre[1]);
  for (std::int64_t i = 1; i < n - 1; ++i) target[i] = average(rows, i, centre[i - 1], centre[i + 1]);
  if (n > 1) target[n - 1] = average(rows, n - 1, centre[n - 2], right);
}

/// Where the cell at x lies: x itself, or the other end of a row that has no halo.
template <typename T>
std::int64_t place_of(const halocline::View<const T>& view, std::int64_t x) {
  const halocline::Box& cells = view.with_halo();
  const halocline::Box& owned = view.owned();
  if (x < cells.lo.x) return owned.hi.x - 1;
  return x >= cells.hi.x ? owned.lo.x : x;
}

/// Puts the spheres' cells of a row back. row points at cell (lo, y, z).
template <typename T>
void hold_spheres(std::span<const Sphere> spheres, T* row, std::int64_t lo, std::int64_t hi, std::int64_t y,
                  std::int64_t z) {
  for (const Sphere& sphere : spheres) {
    const auto [first, last] = sphere.row(y, z);
    for (std::int64_t x = std::max(first, lo); x < std::min(last, hi); ++x) {
      row[x - lo] = static_cast<T>(sphere.value);
    }
  }
}

}  // namespace

template <typename T>
void update_box(const Problem& problem, const halocline::Box& box, const halocline::View<const T>& source,
                const halocline::View<T>& target) {
  const auto spheres = problem.images({&box, 1});
  const std::int64_t x = box.lo.x;
  const std::int64_t n = box.hi.x - box.lo.x;
  const std::int64_t left = place_of(source, box.lo.x - 1);
  const std::int64_t right = place_of(source, box.hi.x);
  for (std::int64_t z = box.lo.z; z < box.hi.z; ++z) {
    for (std::int64_t y = box.lo.y; y < box.hi.y; ++y) {
      T* row = &target(x, y, z);
      const Rows<T> rows{&source(x, y, z), &source(x, y - 1, z), &source(x, y + 1, z), &source(x, y, z - 1),
                         &source(x, y, z + 1)};
      update_row(row, rows, source(left, y, z), source(right, y, z), n);
      hold_spheres(spheres, row, box.lo.x, box.hi.x, y, z);
    }
  }
}

template <typename T>
void initialise_box(const Problem& problem, const halocline::Box& box, const halocline::View<T>& target) {
  const auto spheres = problem.spheres();
  for (std::int64_t z = box.lo.z; z < box.hi.z; ++z) {
    for (std::int64_t y = box.lo.y; y < box.hi.y; ++y) {
      T* row = &target(box.lo.x, y, z);
      std::fill(row, row + (box.hi.x - box.lo.x), static_cast<T>(initial));
      hold_spheres(spheres, row, box.lo.x, box.hi.x, y, z);
    }
  }
}

template <typename T>
Difference difference(const halocline::Box& box, const halocline::View<const T>& before,
                      const halocline::View<const T>& after) {
  Difference found;
  for (std::int64_t z = box.lo.z; z < box.hi.z; ++z) {
    for (std::int64_t y = box.lo.y; y < box.hi.y; ++y) {
      const T* old_row = &before(box.lo.x, y, z);
      const T* new_row = &after(box.lo.x, y, z);
      for (std::int64_t i = 0; i < box.hi.x - box.lo.x; ++i) {
        const double d = static_cast<double>(new_row[i]) - static_cast<double>(old_row[i]);
        found.max = std::max(found.max, std::abs(d));
        found.sum_of_squares += d * d;
      }
    }
  }
  return found;
}

#define JACOBI3D_ROW(T)                                                                               \
  template void update_box<T>(const Problem&, const halocline::Box&, const halocline::View<const T>&, \
                              const halocline::View<T>&);                                             \
  template void initialise_box<T>(const Problem&, const halocline::Box&, const halocline::View<T>&);  \
  template Difference difference<T>(const halocline::Box&, const halocline::View<const T>&,           \
                                    const halocline::View<const T>&);
JACOBI3D_ROW(float)
JACOBI3D_ROW(double)
#undef JACOBI3D_ROW

}  // namespace jacobi3d
