// SPDX-License-Identifier: BSD-3-Clause
#include "laplace3d/row.hpp"

#include "laplace3d/stencil.hpp"

namespace laplace3d {
namespace {

/// n cells of a row, and the neighbouring rows in y and z. The target overlaps none of them.
template <typename T>
void update_row7(const Weights<T>& w, T* __restrict target, const T* centre, const T* below_y, const T* above_y,
                 const T* below_z, const T* above_z, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const T sides = sum_of(centre[i - 1], centre[i + 1], below_y[i], above_y[i]);
    target[i] = weigh7(w, centre[i], sides, below_z[i], above_z[i]);
  }
}

/// The three rows of a plane around a row.
template <typename T>
struct PlaneRows {
  const T* centre;
  const T* below;
  const T* above;
};

template <typename T>
PlaneRows<T> rows_at(const halocline::View<const T>& source, std::int64_t x, std::int64_t y, std::int64_t z) {
  return {&source(x, y, z), &source(x, y - 1, z), &source(x, y + 1, z)};
}

template <typename T>
T sides_of(const PlaneRows<T>& rows, std::int64_t i) {
  return sum_of(rows.centre[i - 1], rows.centre[i + 1], rows.below[i], rows.above[i]);
}

template <typename T>
void update_row19(const Weights<T>& w, T* __restrict target, const PlaneRows<T>& plane, const PlaneRows<T>& below,
                  const PlaneRows<T>& above, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const T edges = sum_of(plane.below[i - 1], plane.below[i + 1], plane.above[i - 1], plane.above[i + 1]);
    target[i] = weigh19(w, plane.centre[i], sides_of(plane, i), edges, below.centre[i], above.centre[i],
                        sides_of(below, i), sides_of(above, i));
  }
}

}  // namespace

template <typename T>
void update_box(const Problem& problem, const halocline::Box& box, const halocline::View<const T>& source,
                const halocline::View<T>& target) {
  const Weights<T> weights(problem.coefficients);
  const std::int64_t x = box.lo.x;
  const std::int64_t n = box.hi.x - box.lo.x;
  for (std::int64_t z = box.lo.z; z < box.hi.z; ++z) {
    for (std::int64_t y = box.lo.y; y < box.hi.y; ++y) {
      if (problem.stencil == Stencil::points7) {
        update_row7(weights, &target(x, y, z), &source(x, y, z), &source(x, y - 1, z), &source(x, y + 1, z),
                    &source(x, y, z - 1), &source(x, y, z + 1), n);
      } else {
        update_row19(weights, &target(x, y, z), rows_at(source, x, y, z), rows_at(source, x, y, z - 1),
                     rows_at(source, x, y, z + 1), n);
      }
    }
  }
}

template <typename T>
void initialise_box(const halocline::Box& box, const halocline::View<T>& target) {
  halocline::for_each_cell(box,
                           [&](const halocline::Vec3& p) { target(p) = static_cast<T>(initial_value(p.x, p.y, p.z)); });
}

#define LAPLACE3D_ROW(T)                                                                              \
  template void update_box<T>(const Problem&, const halocline::Box&, const halocline::View<const T>&, \
                              const halocline::View<T>&);                                             \
  template void initialise_box<T>(const halocline::Box&, const halocline::View<T>&);
LAPLACE3D_ROW(float)
LAPLACE3D_ROW(double)
#undef LAPLACE3D_ROW

}  // namespace laplace3d
