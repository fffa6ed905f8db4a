// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::device::cuda {

/// Divides numbers below 2^31 by a constant with a multiplication and a shift.
/// Source: Granlund and Montgomery, Division by Invariant Integers using Multiplication, PLDI 1994.
struct Divider {
  std::uint32_t divisor = 1;
  std::uint32_t factor = std::uint32_t{1} << 31;
  std::uint32_t shift = 0;

  Divider() = default;
  /// 1 to 2^31 - 1.
  explicit Divider(std::uint32_t by);
  [[nodiscard]] constexpr std::uint32_t divide(std::uint32_t n) const {
    return static_cast<std::uint32_t>((std::uint64_t{n * 2} * factor) >> 32) >> shift;
  }
};

/// The same for numbers below 2^8, by 1 to 2^8: n * factor is off by less than n / 2^16 of a multiple of 2^16.
struct SmallDivider {
  std::uint32_t divisor = 1;
  std::uint32_t factor = std::uint32_t{1} << 16;

  constexpr SmallDivider() = default;
  constexpr explicit SmallDivider(std::uint32_t by) : divisor(by), factor(((std::uint32_t{1} << 16) + by - 1) / by) {}
  [[nodiscard]] constexpr std::uint32_t divide(std::uint32_t n) const { return (n * factor) >> 16; }
  friend bool operator==(const SmallDivider&, const SmallDivider&) = default;
};

}  // namespace halocline::device::cuda
