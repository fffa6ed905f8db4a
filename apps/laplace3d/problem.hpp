// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "halocline/box.hpp"
#include "halocline/stencil.hpp"
#include "halocline/view.hpp"

namespace laplace3d {

/// How many cells a step reads: the cell and its six neighbours by faces, or those by edges, too.
enum class Stencil : int { points7 = 7, points19 = 19 };

/// A step: next = alpha * cell + beta * sum of the neighbours by faces (+ gamma * sum of those by edges).
struct Coefficients {
  double alpha = 0.4;
  double beta = 0.1;
  double gamma = 0;  ///< counts with Stencil::points19 alone
};
/// Explicit Euler for heat, stable and with a sum of 1: 0.4, 0.1; or 0.2, 1/15, 1/30, which is isotropic to second order.
[[nodiscard]] Coefficients default_coefficients(Stencil stencil);

/// Floating-point operations that a step takes for a cell, as it is written down above: 8 or 21.
[[nodiscard]] int flops_of(Stencil stencil);

/// What a domain's halos must be: 1 cell; with Stencil::points19 edges on; no corners.
[[nodiscard]] halocline::Stencil radius_of(Stencil stencil);

/// The inner points of a box, and one layer of fixed values around them, which no step changes.
struct Problem {
  halocline::Vec3 extent;  ///< inner points
  Stencil stencil = Stencil::points7;
  Coefficients coefficients{};
};

/// Cell (x, y, z) before the first step, an inner point or one beyond the domain's edge: multiples of 1/64 from 0 to below
/// 1 that jump from cell to cell, so that a wrong cell is seen.
HALOCLINE_HOST_DEVICE inline double initial_value(std::int64_t x, std::int64_t y, std::int64_t z) {
  // The halos begin at most 2^20 cells below 0.
  const auto mixed = static_cast<std::uint64_t>(37 * x + 11 * y * y + 23 * z + 5 * x * z + (std::int64_t{1} << 40));
  return static_cast<double>(mixed % 64) / 64;
}

}  // namespace laplace3d
