// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace mhd {

/// Williamson's third-order Runge-Kutta scheme in two registers (J. Comput. Phys. 35 (1980) 48): in each of three substeps
/// w = alpha w + dt rates(f), then f = f + beta w.
struct Williamson {
  static constexpr int substeps = 3;
  static constexpr std::array<double, 3> alpha{0, -5.0 / 9, -153.0 / 128};
  static constexpr std::array<double, 3> beta{1.0 / 3, 15.0 / 16, 8.0 / 15};
};

/// The same without w: as f grew by beta w in the substep before, w is (f - f before it) / beta, and the buffer that is to be
/// written still holds f before it. So next = now + advance rates(now) + carry (now - next).
template <typename T>
struct Substep {
  T advance;  ///< beta dt
  T carry;    ///< alpha beta / (beta of the substep before); 0 in the first, which does not read `next`

  [[nodiscard]] static Substep of(int index, double dt) {
    const auto i = static_cast<std::size_t>(index);
    const double carry =
        index == 0 ? 0 : Williamson::alpha[i] * Williamson::beta[i] / Williamson::beta[i == 0 ? 0 : i - 1];
    return {static_cast<T>(Williamson::beta[i] * dt), static_cast<T>(carry)};
  }
};

}  // namespace mhd
