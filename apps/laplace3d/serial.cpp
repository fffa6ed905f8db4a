// SPDX-License-Identifier: BSD-3-Clause
#include "laplace3d/serial.hpp"

#include <utility>

#include "halocline/box.hpp"

namespace laplace3d {
namespace {

/// Written out in full, and not with stencil.hpp, which it is compared with.
template <typename T, typename At>
T next_of(const Problem& problem, const std::vector<T>& now, const At& at, const halocline::Vec3& p) {
  const auto [x, y, z] = p;
  const auto u = [&](std::int64_t dx, std::int64_t dy, std::int64_t dz) { return now[at(x + dx, y + dy, z + dz)]; };
  const T faces = u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1);
  const T next =
      static_cast<T>(problem.coefficients.alpha) * u(0, 0, 0) + static_cast<T>(problem.coefficients.beta) * faces;
  if (problem.stencil == Stencil::points7) return next;
  const T in_plane = u(-1, -1, 0) + u(1, -1, 0) + u(-1, 1, 0) + u(1, 1, 0);
  const T below = u(-1, 0, -1) + u(1, 0, -1) + u(0, -1, -1) + u(0, 1, -1);
  const T above = u(-1, 0, 1) + u(1, 0, 1) + u(0, -1, 1) + u(0, 1, 1);
  return next + static_cast<T>(problem.coefficients.gamma) * (in_plane + below + above);
}

}  // namespace

template <typename T>
std::vector<T> solve_serially(const Problem& problem, std::int64_t steps) {
  using halocline::Box;
  using halocline::Vec3;
  const Box inner = Box::of_extent(problem.extent);
  const Vec3 size = problem.extent + Vec3::filled(2);
  const auto at = [&size](std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<std::size_t>(((z + 1) * size.y + y + 1) * size.x + x + 1);
  };
  std::vector<T> now;
  now.reserve(static_cast<std::size_t>(size.volume()));
  halocline::for_each_cell(inner.grown(Vec3::filled(1), Vec3::filled(1)),
                           [&now](const Vec3& p) { now.push_back(static_cast<T>(initial_value(p.x, p.y, p.z))); });
  std::vector<T> next = now;
  for (std::int64_t step = 0; step < steps; ++step) {
    halocline::for_each_cell(inner, [&](const Vec3& p) { next[at(p.x, p.y, p.z)] = next_of(problem, now, at, p); });
    std::swap(now, next);
  }
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(inner.volume()));
  halocline::for_each_cell(inner, [&](const Vec3& p) { values.push_back(now[at(p.x, p.y, p.z)]); });
  return values;
}

template std::vector<float> solve_serially<float>(const Problem&, std::int64_t);
template std::vector<double> solve_serially<double>(const Problem&, std::int64_t);

}  // namespace laplace3d
