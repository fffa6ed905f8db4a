// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>

namespace halocline {

/// Element::bf16 as bits: a float without its lower half.
struct BFloat16 {
  std::uint16_t bits = 0;

  [[nodiscard]] constexpr float value() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  /// Rounds to nearest, ties to even.
  [[nodiscard]] static constexpr BFloat16 of(float value) {
    const auto whole = std::bit_cast<std::uint32_t>(value);
    if ((whole & 0x7fffffffU) > 0x7f800000U) return {static_cast<std::uint16_t>(whole >> 16 | 0x40U)};  // a quiet NaN
    return {static_cast<std::uint16_t>((whole + 0x7fffU + (whole >> 16 & 1U)) >> 16)};
  }
};

/// Element::f16 as bits: IEEE 754 binary16.
struct Half {
  std::uint16_t bits = 0;

  [[nodiscard]] constexpr float value() const {
    const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16;
    const std::uint32_t rest = bits & 0x7fffU;
    // Subnormal numbers are multiples of 2^-24.
    if (rest < 0x400U)
      return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(rest) * 0x1p-24F) | sign);
    if (rest >= 0x7c00U) return std::bit_cast<float>(sign | 0x7f800000U | (rest & 0x3ffU) << 13);
    return std::bit_cast<float>(sign | ((rest << 13) + ((127U - 15U) << 23)));
  }
  /// Rounds to nearest, ties to even; values that are too large become infinity.
  [[nodiscard]] static constexpr Half of(float value) {
    const auto whole = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(whole >> 16 & 0x8000U);
    const std::uint32_t rest = whole & 0x7fffffffU;
    const auto with_sign = [&](std::uint32_t bits) { return Half{static_cast<std::uint16_t>(sign | bits)}; };
    if (rest > 0x7f800000U) return with_sign(0x7e00U);
    if (rest >= 0x47800000U) return with_sign(0x7c00U);  // 2^16 and more
    if (rest < 0x38800000U) {                            // below 2^-14: a multiple of 2^-24
      // Adding 1/2 leaves as many bits below the point as a subnormal number has, and rounds to them.
      return with_sign(std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) + 0.5F) - 0x3f000000U);
    }
    return with_sign(((rest + 0xfffU + (rest >> 13 & 1U)) >> 13) - ((127U - 15U) << 10));
  }
};

}  // namespace halocline
