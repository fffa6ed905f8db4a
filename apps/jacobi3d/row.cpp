#include "jacobi3d/row.hpp"

#include <algorithm>
#include <cmath>

namespace jacobi3d {
namespace {

/// n cells of a row. The arrays must not overlap target; the rows left and right of centre are the centre
/// row itself.
template <typename T>
void update_row(T* __restrict target, const T* centre, const T* below_y, const T* above_y, const T* below_z,
                const T* above_z, std::int64_t n) {
  constexpr T seventh = T(1) / T(7);
  for (std::int64_t i = 0; i < n; ++i) {
    T sum = centre[i - 1] + centre[i + 1];
    sum += below_y[i];
    sum += above_y[i];
    sum += below_z[i];
    sum += above_z[i];
    sum += centre[i];
    target[i] = sum * seventh;
  }
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
  for (std::int64_t z = box.lo.z; z < box.hi.z; ++z) {
    for (std::int64_t y = box.lo.y; y < box.hi.y; ++y) {
      T* row = &target(x, y, z);
      update_row(row, &source(x, y, z), &source(x, y - 1, z), &source(x, y + 1, z), &source(x, y, z - 1),
                 &source(x, y, z + 1), n);
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
