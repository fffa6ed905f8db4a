// SPDX-License-Identifier: BSD-3-Clause
#include "core/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace halocline {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// All numbers of a type from 0 up to infinity; their bits count up.
template <typename T>
void expect_rounding_to_nearest_even(std::uint16_t bits_of_infinity) {
  for (std::uint16_t bits = 0; bits < bits_of_infinity; ++bits) {
    const float here = T{bits}.value();
    ASSERT_EQ(T::of(here).bits, bits) << here;
    ASSERT_EQ(T::of(-here).bits, bits | 0x8000) << here;
    const auto next_bits = static_cast<std::uint16_t>(bits + 1);
    const float next = T{next_bits}.value();
    ASSERT_LT(here, next);
    if (next == infinity) continue;
    const double middle = (static_cast<double>(here) + next) / 2;
    const auto as_float = static_cast<float>(middle);
    if (as_float != middle) continue;  // a subnormal float cannot be halved
    ASSERT_EQ(T::of(as_float).bits, bits % 2 == 0 ? bits : next_bits) << middle;
    ASSERT_EQ(T::of(std::nextafter(as_float, 0.0F)).bits, bits) << middle;
    ASSERT_EQ(T::of(std::nextafter(as_float, infinity)).bits, next_bits) << middle;
  }
  EXPECT_EQ(T{bits_of_infinity}.value(), infinity);
  EXPECT_EQ(T::of(infinity).bits, bits_of_infinity);
  EXPECT_EQ(T::of(-infinity).bits, bits_of_infinity | 0x8000);
  EXPECT_TRUE(std::isnan(T::of(std::numeric_limits<float>::quiet_NaN()).value()));
  // A NaN whose set bits are all truncated by the conversion.
  EXPECT_TRUE(std::isnan(T::of(std::bit_cast<float>(0x7f800001U)).value()));
}

TEST(Half, RoundsToTheNearestNumberWithTiesToEven) { expect_rounding_to_nearest_even<Half>(0x7c00); }

TEST(Half, BecomesInfiniteHalfAStepAboveTheLargestNumber) {
  EXPECT_EQ(Half{0x7bff}.value(), 65504.0F);
  EXPECT_EQ(Half::of(std::nextafter(65520.0F, 0.0F)).bits, 0x7bff);
  EXPECT_EQ(Half::of(65520.0F).bits, 0x7c00);
  EXPECT_EQ(Half::of(1e30F).bits, 0x7c00);
}

TEST(BFloat16, RoundsToTheNearestNumberWithTiesToEven) { expect_rounding_to_nearest_even<BFloat16>(0x7f80); }

}  // namespace
}  // namespace halocline
