// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "domain/internals.hpp"
#include "jacobi3d/jacobi3d.hpp"

namespace jacobi3d {
namespace {

enum class Held : char { no, hot, cold };

/// Which cells are held, by asking each sphere about each cell.
std::vector<Held> held_cells(const halocline::Vec3& extent) {
  std::vector<Held> held;
  held.reserve(static_cast<std::size_t>(extent.volume()));
  const auto spheres = Problem{extent}.spheres();
  halocline::for_each_cell(halocline::Box::of_extent(extent), [&](const halocline::Vec3& p) {
    Held found = Held::no;
    if (spheres[0].contains(p)) found = Held::cold;
    if (spheres[1].contains(p)) found = Held::hot;
    held.push_back(found);
  });
  return held;
}

}  // namespace

template <typename T>
std::vector<T> solve_serially(const halocline::Vec3& extent, std::int64_t steps) {
  const auto held = held_cells(extent);
  const auto [nx, ny, nz] = extent;
  const auto at = [nx = nx, ny = ny](std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<std::size_t>((z * ny + y) * nx + x);
  };
  std::vector<T> now(held.size());
  std::vector<T> next(held.size());
  const auto hold = [&held](std::size_t i, T otherwise) {
    return held[i] == Held::no ? otherwise : static_cast<T>(held[i] == Held::hot ? hot : cold);
  };
  for (std::size_t i = 0; i < now.size(); ++i) now[i] = hold(i, static_cast<T>(initial));
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::int64_t z = 0; z < nz; ++z) {
      const std::int64_t zm = z == 0 ? nz - 1 : z - 1;
      const std::int64_t zp = z == nz - 1 ? 0 : z + 1;
      for (std::int64_t y = 0; y < ny; ++y) {
        const std::int64_t ym = y == 0 ? ny - 1 : y - 1;
        const std::int64_t yp = y == ny - 1 ? 0 : y + 1;
        for (std::int64_t x = 0; x < nx; ++x) {
          const std::int64_t xm = x == 0 ? nx - 1 : x - 1;
          const std::int64_t xp = x == nx - 1 ? 0 : x + 1;
          const std::size_t i = at(x, y, z);
          const T sum = now[at(xm, y, z)] + now[at(xp, y, z)] + now[at(x, ym, z)] + now[at(x, yp, z)] +
                        now[at(x, y, zm)] + now[at(x, y, zp)] + now[i];
          next[i] = hold(i, sum * (T(1) / T(7)));
        }
      }
    }
    std::swap(now, next);
  }
  return now;
}

template <typename T>
Check check(halocline::Domain& domain, Solver<T>& solver, std::int64_t steps) {
  const halocline::Vec3 extent = internals(domain).geometry().partition.extent();
  const std::vector<T> parallel = solver.gather(halocline::Box::of_extent(extent));
  return apps::check_on_root<T>(
      domain.plan().comm, [&] { return solve_serially<T>(extent, steps); }, parallel);
}

template std::vector<float> solve_serially<float>(const halocline::Vec3&, std::int64_t);
template std::vector<double> solve_serially<double>(const halocline::Vec3&, std::int64_t);
template Check check<float>(halocline::Domain&, Solver<float>&, std::int64_t);
template Check check<double>(halocline::Domain&, Solver<double>&, std::int64_t);

}  // namespace jacobi3d
