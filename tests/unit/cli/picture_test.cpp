// SPDX-License-Identifier: BSD-3-Clause
#include "picture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "halocline/error.hpp"

namespace {

using namespace cli;

TEST(Colours, ColdIsBlueHotIsRedTheMiddleIsPale) {
  const Rgb cold = diverging_colour(0);
  const Rgb hot = diverging_colour(1);
  const Rgb middle = diverging_colour(0.5);
  EXPECT_GT(cold.blue, cold.red + 50);
  EXPECT_GT(hot.red, hot.blue + 50);
  EXPECT_GT(middle.red, 220);
  EXPECT_GT(middle.green, 220);
  EXPECT_GT(middle.blue, 220);
  const Rgb clamped = diverging_colour(7);
  EXPECT_EQ(clamped.red, hot.red);
  const Rgb nothing = diverging_colour(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(nothing.red + nothing.green + nothing.blue, 0);
}

TEST(Paint, CellsAreWholePixelsAndYGoesUp) {
  const std::vector<double> values{0, 0, 1, 1};  // the upper row is hot
  const Picture picture = paint(values, 2, 2, 0, 1, 5);
  EXPECT_EQ(picture.width, 6);
  EXPECT_EQ(picture.height, 6);
  ASSERT_EQ(picture.rgb.size(), 6u * 6 * 3);
  EXPECT_GT(picture.rgb[0], picture.rgb[2]);                                            // top left: red
  EXPECT_LT(picture.rgb[picture.rgb.size() - 3], picture.rgb[picture.rgb.size() - 1]);  // bottom right: blue
  EXPECT_THROW(static_cast<void>(paint(values, 3, 2, 0, 1, 5)), halocline::InvalidArgument);
}

TEST(Png, IsMadeOrSaysWhyNot) {
  const Picture picture = paint(std::vector<double>{0, 1}, 2, 1, 0, 1, 2);
  if (!can_write_png()) {
    EXPECT_THROW(static_cast<void>(png_of(picture)), halocline::CapabilityError);
    return;
  }
  const std::string png = png_of(picture);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
}

}  // namespace
