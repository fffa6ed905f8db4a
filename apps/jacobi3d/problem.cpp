// SPDX-License-Identifier: BSD-3-Clause
#include "jacobi3d/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jacobi3d {
namespace {

/// The largest whole number whose square is at most n; n >= 0.
std::int64_t whole_root(std::int64_t n) {
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  while (root * root > n) --root;
  while ((root + 1) * (root + 1) <= n) ++root;
  return root;
}

}  // namespace

bool Sphere::contains(const halocline::Vec3& p) const {
  const halocline::Vec3 d = p - centre;
  return d.x * d.x + d.y * d.y + d.z * d.z <= radius * radius;
}

Range Sphere::row(std::int64_t y, std::int64_t z) const {
  const std::int64_t dy = y - centre.y;
  const std::int64_t dz = z - centre.z;
  const std::int64_t left = radius * radius - dy * dy - dz * dz;
  if (left < 0) return {centre.x, centre.x};
  const std::int64_t half = whole_root(left);
  return {centre.x - half, centre.x + half + 1};
}

std::array<Sphere, 2> Problem::spheres() const {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (int dim = 0; dim < 3; ++dim) {
    if (extent[dim] > 1) shortest = std::min(shortest, extent[dim]);
  }
  const std::int64_t radius = shortest == std::numeric_limits<std::int64_t>::max() ? 0 : shortest / 10;
  const halocline::Vec3 middle{0, extent.y / 2, extent.z / 2};
  return {Sphere{{2 * extent.x / 3, middle.y, middle.z}, radius, cold},
          Sphere{{extent.x / 3, middle.y, middle.z}, radius, hot}};
}

std::vector<Sphere> Problem::images(std::span<const halocline::Box> boxes) const {
  using halocline::Box;
  using halocline::Vec3;
  const auto both = spheres();
  const Box domain = Box::of_extent(extent);
  if (std::all_of(boxes.begin(), boxes.end(), [&](const Box& box) { return domain.contains(box); })) {
    return {both.begin(), both.end()};
  }
  std::vector<Sphere> found;
  for (const Sphere& sphere : both) {
    halocline::for_each_cell({Vec3::filled(-1), Vec3::filled(2)}, [&](const Vec3& domains) {
      Sphere image = sphere;
      image.centre = sphere.centre + domains * extent;
      const Vec3 r = Vec3::filled(image.radius);
      const Box around{image.centre - r, image.centre + r + Vec3::filled(1)};
      const bool own = domains == Vec3{};
      if (own || std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) { return box.overlaps(around); })) {
        found.push_back(image);
      }
    });
  }
  return found;
}

}  // namespace jacobi3d
