// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "halocline/box.hpp"

namespace jacobi3d {

/// Temperatures: cells outside the spheres start in the middle.
inline constexpr double hot = 1.0;
inline constexpr double cold = 0.0;
inline constexpr double initial = 0.5;

/// Cells [first, second) of a row; empty where first == second.
using Range = std::pair<std::int64_t, std::int64_t>;

/// The cells whose centres are within `radius` of `centre`. Whole numbers only, so every rank agrees on
/// every cell.
struct Sphere {
  halocline::Vec3 centre;
  std::int64_t radius = 0;  ///< 0 holds one cell
  double value = 0;

  [[nodiscard]] bool contains(const halocline::Vec3& p) const;
  /// The part of the row (y, z) that it holds.
  [[nodiscard]] Range row(std::int64_t y, std::int64_t z) const;
};

/// The problem as a function of the domain's extent alone: a hot sphere at a third of x, a cold one at two
/// thirds, both in the middle of y and z, with a tenth of the shortest extent (of those above 1) as radius.
/// In domains so thin that they meet, the hot one counts.
struct Problem {
  halocline::Vec3 extent;

  /// Cold first: written in this order, the hot one prevails.
  [[nodiscard]] std::array<Sphere, 2> spheres() const;
  /// The same for boxes that may lie beyond the domain's edge, by less than its extent: both spheres, and those of
  /// their periodic images that reach into a box. At most most_images; in this order, too, the hot ones prevail.
  [[nodiscard]] std::vector<Sphere> images(std::span<const halocline::Box> boxes) const;
};

/// Two spheres in the domain and in its 26 periodic images.
inline constexpr std::size_t most_images = 54;

}  // namespace jacobi3d
