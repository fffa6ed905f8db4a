// SPDX-License-Identifier: BSD-3-Clause
#include "parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/error.hpp"
#include "support/error_of.hpp"

namespace {

using namespace cli;
using halocline::Element;
using halocline::InvalidArgument;
using halocline::Stencil;
using halocline::Vec3;
using testing::HasSubstr;

TEST(ParseFields, CountsAndTypes) {
  const auto four = parse_fields("--fields", "4xf32");
  ASSERT_EQ(four.size(), 4u);
  EXPECT_EQ(four[3].name, "f3");
  EXPECT_EQ(four[3].element, Element::f32);

  const auto mixed = parse_fields("--fields", "2xf64,1xi8,c128");
  ASSERT_EQ(mixed.size(), 4u);
  EXPECT_EQ(mixed[1].element, Element::f64);
  EXPECT_EQ(mixed[2].element, Element::i8);
  EXPECT_EQ(mixed[3].element, Element::c128);
  EXPECT_EQ(mixed[3].name, "f3");

  EXPECT_EQ(parse_fields("--fields", "bf16").size(), 1u);
}

TEST(ParseFields, WireFormats) {
  const auto fields = parse_fields("--fields", "2xf64:f32,f32:bf16,c128");
  ASSERT_EQ(fields.size(), 4u);
  EXPECT_EQ(fields[1].element, Element::f64);
  EXPECT_EQ(fields[1].wire, Element::f32);
  EXPECT_EQ(fields[2].wire, Element::bf16);
  EXPECT_FALSE(fields[3].wire);
  const auto refused = [](const std::string& bad) {
    return halocline::test::error_of<InvalidArgument>([&] { static_cast<void>(parse_fields("--fields", bad)); });
  };
  EXPECT_THAT(refused("4xf64:f33"), HasSubstr("allowed is a list such as 4xf32"));
  EXPECT_THAT(refused("4xf64:"), HasSubstr("allowed is a list such as 4xf32"));
  EXPECT_THAT(refused("4xf64:f64"), HasSubstr("--fields is '4xf64:f64'; allowed is after f64: f32, bf16, f16"));
  EXPECT_THAT(refused("i32:i16"), HasSubstr("allowed is after i32: no wire format"));
}

TEST(ParseFields, RefusesWithNameValueAndAllowed) {
  for (const std::string bad : {"", "x", "4x", "xf32", "0xf32", "-1xf32", "4xf33", "4 x f32", "f32,", ",f32",
                                "1025xf32", "1000xf32,1000xf32", "4xf32x2", "4,f32", "99999999999999999999xf32"}) {
    const auto message =
        halocline::test::error_of<InvalidArgument>([&] { static_cast<void>(parse_fields("--fields", bad)); });
    EXPECT_THAT(message, HasSubstr("--fields is '" + bad + "'; allowed is a list such as 4xf32")) << bad;
  }
}

TEST(ParseExtent, OneNumberIsACube) {
  EXPECT_EQ(parse_extent("--size", {"7"}), Vec3::filled(7));
  EXPECT_EQ(parse_extent("--size", {"1", "2", "3"}), (Vec3{1, 2, 3}));
  EXPECT_EQ(parse_extent("--size", {"1,2,3"}), (Vec3{1, 2, 3}));
  EXPECT_EQ(parse_extent("--size", {"1,2", "3"}), (Vec3{1, 2, 3}));
}

TEST(ParseExtent, Refuses) {
  for (const Words& bad : std::vector<Words>{{"0"},
                                             {"1", "2"},
                                             {"1", "2", "3", "4"},
                                             {"1", "2", "x"},
                                             {"1.5"},
                                             {""},
                                             {"-3"},
                                             {"1,,3"},
                                             {"0x10"},
                                             {" 1"},
                                             {"1", "0", "1"}}) {
    EXPECT_THAT(halocline::test::error_of<InvalidArgument>([&] { static_cast<void>(parse_extent("--size", bad)); }),
                HasSubstr("allowed is three whole numbers of 1 or more"));
  }
  EXPECT_THAT(
      halocline::test::error_of<InvalidArgument>([] { static_cast<void>(parse_extent("--size", {"4294967296"})); }),
      HasSubstr("--size is '4294967296'; allowed is three whole numbers whose product is below 2^63"));
}

TEST(ParseRadius, OneThreeOrSixNumbers) {
  EXPECT_EQ(parse_radius("--radius", {"2"}), Stencil::box(2));
  EXPECT_EQ(parse_radius("--radius", {"0"}), Stencil());
  EXPECT_EQ(parse_radius("--radius", {"1", "2", "0"}), Stencil::box(1, 2, 0));
  EXPECT_EQ(parse_radius("--radius", {"1", "2", "3", "4", "5", "6"}), Stencil::per_side({1, 3, 5}, {2, 4, 6}));
  for (const Words& bad : std::vector<Words>{{"-1"}, {"1", "2"}, {"1", "2", "3", "4"}, {"a"}}) {
    EXPECT_THAT(halocline::test::error_of<InvalidArgument>([&] { static_cast<void>(parse_radius("--radius", bad)); }),
                HasSubstr("--radius is '"));
  }
}

TEST(ParseNumbers, RefuseWhatIsNoNumberOrOutside) {
  EXPECT_EQ(parse_integer("--n", "5", 1, 9), 5);
  for (const std::string bad : {"0", "10", "", "5x", "5.0", "+5"}) {
    EXPECT_EQ(halocline::test::error_of<InvalidArgument>([&] { static_cast<void>(parse_integer("--n", bad, 1, 9)); }),
              "--n is '" + bad + "'; allowed is a whole number from 1 to 9");
  }
  EXPECT_EQ(parse_seconds("--timeout", "0.5"), std::chrono::milliseconds(500));
  for (const std::string bad : {"0", "-1", "nan", "inf", "1e9", "x"}) {
    EXPECT_THAT(halocline::test::error_of<InvalidArgument>([&] { static_cast<void>(parse_seconds("--timeout", bad)); }),
                HasSubstr("--timeout is '" + bad + "'; allowed is a number above 0"));
  }
}

TEST(ParseDimensions, MarksThoseThatAreNamed) {
  EXPECT_EQ(parse_dimensions("--staggered", {"x,z"}), (std::array{true, false, true}));
  EXPECT_EQ(parse_dimensions("--staggered", {"y"}), (std::array{false, true, false}));
  EXPECT_EQ(halocline::test::error_of<InvalidArgument>([] {
              static_cast<void>(parse_dimensions("--staggered", {"x", "w"}));
            }),
            "--staggered is 'w'; allowed is one of x, y, z");
}

TEST(ParseBoundaries, NamesDimensions) {
  using halocline::Boundary;
  halocline::Boundaries boundaries = halocline::all_periodic;
  parse_boundaries("--open", {"x,z"}, Boundary::open, boundaries);
  EXPECT_EQ(boundaries, (halocline::Boundaries{Boundary::open, Boundary::periodic, Boundary::open}));
  parse_boundaries("--periodic-in-kernel", {"y"}, Boundary::periodic_in_kernel, boundaries);
  EXPECT_EQ(boundaries, (halocline::Boundaries{Boundary::open, Boundary::periodic_in_kernel, Boundary::open}));
  const auto error_of = [&](const Words& words) {
    return halocline::test::error_of<InvalidArgument>(
        [&] { parse_boundaries("--periodic-in-kernel", words, Boundary::periodic_in_kernel, boundaries); });
  };
  EXPECT_EQ(error_of({"x,w"}),
            "--periodic-in-kernel is 'x'; allowed is a dimension that is not both open and periodic_in_kernel");
  EXPECT_EQ(error_of({"w"}), "--periodic-in-kernel is 'w'; allowed is one of x, y, z");
}

}  // namespace
