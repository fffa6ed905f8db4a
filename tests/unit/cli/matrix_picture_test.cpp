// SPDX-License-Identifier: BSD-3-Clause
#include "matrix_picture.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "halocline/error.hpp"
#include "picture.hpp"

namespace {

using namespace cli;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

TEST(SequentialColours, GetDarkerWithEveryStep) {
  int before = 1000;
  for (int i = 0; i <= 20; ++i) {
    const Rgb colour = sequential_colour(i / 20.0);
    const int brightness = 3 * colour.red + 6 * colour.green + colour.blue;
    EXPECT_LT(brightness, i == 0 ? 10000 : before) << i;
    before = brightness;
  }
}

TEST(CellText, HasThreeDigits) {
  EXPECT_EQ(cell_text(394.2), "394");
  EXPECT_EQ(cell_text(39.42), "39.4");
  EXPECT_EQ(cell_text(9.999), "10.0");
  EXPECT_EQ(cell_text(0.3942), "0.394");
  EXPECT_EQ(cell_text(4140), "4140");
  EXPECT_EQ(cell_text(nothing), "-");
}

RateMatrix matrix(std::int64_t size) {
  RateMatrix matrix;
  matrix.size = size;
  matrix.unit = "GB/s";
  matrix.title = "a machine: copy";
  matrix.values.assign(static_cast<std::size_t>(size * size), 0.0);
  for (std::int64_t i = 0; i < size * size; ++i)
    matrix.values[static_cast<std::size_t>(i)] = static_cast<double>(i % size);
  return matrix;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(MatrixPicture, HoldsAllCellsNumbersAndTheScale) {
  for (const std::size_t size : {1U, 2U, 8U, 64U, 65U, 300U}) {
    const std::string picture = svg_of(matrix(static_cast<std::int64_t>(size)));
    const bool numbers = size <= 64;
    EXPECT_EQ(count(picture, "<rect "), 1 + size * size + 64) << "the ground, the cells, the scale";
    const std::size_t labels = numbers ? 2 * size : 2 * ((size + 15) / 16);
    EXPECT_EQ(count(picture, "<text "), 3 + labels + (numbers ? size * size : 0) + 1 + 5) << size;
    EXPECT_TRUE(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width="));
    EXPECT_TRUE(picture.ends_with("</svg>\n"));
  }
}

TEST(MatrixPicture, ColoursGrowWithTheValueAndTheDiagonalDoesNotCount) {
  RateMatrix one = matrix(2);
  one.values = {4000, 100, 50, 4000};
  const std::string picture = svg_of(one);
  const auto cell = [](Rgb c) {
    return fmt::format("width=\"56\" height=\"32\" fill=\"#{:02x}{:02x}{:02x}\"", c.red, c.green, c.blue);
  };
  EXPECT_EQ(count(picture, cell(sequential_colour(1.0))), 1U) << "the largest off the diagonal is the darkest";
  EXPECT_EQ(count(picture, cell(sequential_colour(0.5))), 1U);
  EXPECT_EQ(count(picture, cell({216, 216, 216})), 2U) << "the diagonal";
}

TEST(MatrixPicture, TextIsEscaped) {
  RateMatrix one = matrix(1);
  one.title = "<a> & b\x1b";
  EXPECT_THAT(svg_of(one), testing::HasSubstr(">&lt;a&gt; &amp; b\\x1b</text>"));
}

TEST(MatrixPicture, RefusesSizesThatDoNotFit) {
  RateMatrix wrong = matrix(3);
  wrong.values.pop_back();
  try {
    static_cast<void>(svg_of(wrong));
    ADD_FAILURE();
  } catch (const halocline::InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("a matrix of 3 x 3 was given 8 values"));
  }
  EXPECT_THROW(static_cast<void>(svg_of(matrix(0))), halocline::InvalidArgument);
  EXPECT_THROW(static_cast<void>(svg_of(matrix(513))), halocline::InvalidArgument);
}

}  // namespace
