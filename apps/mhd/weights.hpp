// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "mhd/differences.hpp"

namespace mhd {

/// Of central differences on a grid of spacing 1, by Taylor's expansion; order 2 R.
template <int R>
struct UnitWeights;
template <>
struct UnitWeights<1> {
  static constexpr std::array<long double, 1> first{1.0L / 2};
  static constexpr long double centre = -2;
  static constexpr std::array<long double, 1> second{1};
};
template <>
struct UnitWeights<2> {
  static constexpr std::array<long double, 2> first{2.0L / 3, -1.0L / 12};
  static constexpr long double centre = -5.0L / 2;
  static constexpr std::array<long double, 2> second{4.0L / 3, -1.0L / 12};
};
template <>
struct UnitWeights<3> {
  static constexpr std::array<long double, 3> first{3.0L / 4, -3.0L / 20, 1.0L / 60};
  static constexpr long double centre = -49.0L / 18;
  static constexpr std::array<long double, 3> second{3.0L / 2, -3.0L / 20, 1.0L / 90};
};
template <>
struct UnitWeights<4> {
  static constexpr std::array<long double, 4> first{4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
  static constexpr long double centre = -205.0L / 72;
  static constexpr std::array<long double, 4> second{8.0L / 5, -1.0L / 5, 8.0L / 315, -1.0L / 560};
};

/// For cells of the given spacing.
template <typename T, int R>
[[nodiscard]] Weights<T, R> make_weights(const std::array<double, 3>& spacing) {
  using Unit = UnitWeights<R>;
  Weights<T, R> weights{};
  for (std::size_t dim = 0; dim < 3; ++dim) {
    const long double h = spacing[dim];
    const long double area = static_cast<long double>(spacing[(dim + 1) % 3]) * spacing[(dim + 2) % 3];
    weights.second_centre[dim] = static_cast<T>(Unit::centre / (h * h));
    for (std::size_t k = 0; k < R; ++k) {
      weights.first[dim][k] = static_cast<T>(Unit::first[k] / h);
      weights.second[dim][k] = static_cast<T>(Unit::second[k] / (h * h));
      weights.mixed[dim][k] = static_cast<T>(Unit::second[k] / (4 * area));
    }
  }
  return weights;
}

}  // namespace mhd
