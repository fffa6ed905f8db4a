// SPDX-License-Identifier: BSD-3-Clause
#include "core/wire.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "halocline/error.hpp"
#include "support/effort.hpp"
#include "support/rounded.hpp"

namespace halocline {
namespace {

/// What a value is after it was sent as To.
template <typename To, typename From>
From sent(From value) {
  return in_format<From>(in_format<To>(value));
}

/// Numbers of all magnitudes: seeded bits.
template <typename T>
T any_finite(std::mt19937_64& random) {
  while (true) {
    const std::uint64_t bits = random();
    T value;
    if constexpr (sizeof(T) == 8) value = std::bit_cast<double>(bits);
    else value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (std::isfinite(value)) return value;
  }
}

/// A number of the same digits, from 1/2 to 1.
template <typename T>
T fraction_of(T value) {
  int exponent = 0;
  return std::frexp(value, &exponent);
}

/// error: the bound on the relative error of numbers in the format's normal range.
template <typename From, typename To>
void expect_rounding(Element format, double error) {
  std::mt19937_64 random(20261124);
  const test::BinaryFormat to = test::format_of(format);
  int normal = 0;
  const auto check = [&](From value) {
    const From got = sent<To>(value);
    ASSERT_EQ(got, static_cast<From>(test::rounded_to(value, format))) << value;
    ASSERT_EQ(std::signbit(got), std::signbit(value)) << value;
    ASSERT_EQ(sent<To>(got), got) << value;  // rounded twice is rounded once
    const double size = std::abs(static_cast<double>(value));
    if (size < std::ldexp(1.0, to.least_exponent) || size > to.largest) return;
    ++normal;
    ASSERT_LE(std::abs(static_cast<double>(got) - value), error * size) << value;
  };
  for (int i = 0; i < test::some_of(300'000); ++i) {
    const From value = any_finite<From>(random);
    check(value);
    // Of the magnitude of cells, and of the format's smallest numbers.
    const From near_one = std::ldexp(fraction_of(value), static_cast<int>(random() % 12));
    check(near_one);
    check(std::ldexp(near_one, to.least_exponent - 8));
    // Halfway between two numbers of the format, and next to that.
    const From here = sent<To>(near_one);
    const From next = std::nextafter(here, From{1e9F});
    const double step = std::ldexp(1.0, std::ilogb(here) - to.digits);
    if (!std::isfinite(here) || here == 0 || next == here) continue;
    const auto middle = static_cast<From>(here + step);
    for (const From tie : {middle, std::nextafter(middle, From{0}), std::nextafter(middle, From{1e9F})}) check(tie);
  }
  EXPECT_GT(normal, test::some_of(300'000));
  const From infinity = std::numeric_limits<From>::infinity();
  EXPECT_EQ(sent<To>(infinity), infinity);
  EXPECT_EQ(sent<To>(-infinity), -infinity);
  EXPECT_TRUE(std::isnan(sent<To>(std::numeric_limits<From>::quiet_NaN())));
  EXPECT_TRUE(std::signbit(sent<To>(From{-0.0F})));
  EXPECT_EQ(sent<To>(From{0}), From{0});
}

TEST(Wire, F64AsF32IsOffByAtMost2ToTheMinus24) { expect_rounding<double, float>(Element::f32, 0x1p-24); }
TEST(Wire, F64AsBf16IsOffByAtMost2ToTheMinus8) { expect_rounding<double, BFloat16>(Element::bf16, 0x1p-8); }
TEST(Wire, F64AsF16IsOffByAtMost2ToTheMinus11) { expect_rounding<double, Half>(Element::f16, 0x1p-11); }
TEST(Wire, F32AsBf16IsOffByAtMost2ToTheMinus8) { expect_rounding<float, BFloat16>(Element::bf16, 0x1p-8); }
TEST(Wire, F32AsF16IsOffByAtMost2ToTheMinus11) { expect_rounding<float, Half>(Element::f16, 0x1p-11); }

TEST(Wire, RoundsADoubleOnce) {
  // As a float this is halfway between 1 and the next f16, and rounds to 1.
  const double above_half = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(sent<Half>(static_cast<double>(static_cast<float>(above_half))), 1.0);
  EXPECT_EQ(sent<Half>(above_half), 1 + 0x1p-10);
  EXPECT_EQ(sent<BFloat16>(1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
}

TEST(Wire, BeyondTheRangeIsInfinite) {
  EXPECT_EQ(sent<Half>(65519.0), 65504.0);
  EXPECT_EQ(sent<Half>(65520.0), HUGE_VAL);
  EXPECT_EQ(sent<float>(-1e300), -HUGE_VAL);
  EXPECT_EQ(sent<BFloat16>(1e300), HUGE_VAL);
}

TEST(Wire, OnlyNarrowerRealFormatsAreAllowed) {
  FieldDescriptor field{.name = "u", .element = Element::f32};
  check_wire(field);
  const auto refused = [&](Element element, Element wire) -> std::string {
    field.element = element;
    field.wire = wire;
    try {
      check_wire(field);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused(Element::f64, Element::f64),
            "wire of field 'u' is f64; allowed for elements f64 are f32, bf16, f16");
  EXPECT_EQ(refused(Element::i32, Element::i16), "wire of field 'u' is i16; allowed for elements i32 is none");
  EXPECT_EQ(refused(Element::c128, Element::f32), "wire of field 'u' is f32; allowed for elements c128 are c64");
  int allowed = 0;
  for (int element = 0; element <= static_cast<int>(Element::c128); ++element) {
    for (int wire = 0; wire <= static_cast<int>(Element::c128); ++wire) {
      if (!refused(static_cast<Element>(element), static_cast<Element>(wire)).empty()) continue;
      ++allowed;
      EXPECT_LT(bytes_on_wire(field), bytes_of(field.element));
    }
  }
  EXPECT_EQ(allowed, 6);
}

}  // namespace
}  // namespace halocline
