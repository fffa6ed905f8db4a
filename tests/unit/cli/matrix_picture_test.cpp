#include "matrix_picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "halocline/core/error.hpp"
#include "lettering.hpp"

namespace {

using namespace cli;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::array<int, 3> pixel(const Picture& picture, std::int64_t x, std::int64_t y) {
  const auto at = static_cast<std::size_t>(3 * (y * picture.width + x));
  return {picture.rgb[at], picture.rgb[at + 1], picture.rgb[at + 2]};
}

std::int64_t count_black(const Picture& picture) {
  std::int64_t black = 0;
  for (std::int64_t y = 0; y < picture.height; ++y) {
    for (std::int64_t x = 0; x < picture.width; ++x) black += pixel(picture, x, y) == std::array{0, 0, 0} ? 1 : 0;
  }
  return black;
}

/// What a text looks like, as rows of '#' and '.'.
std::string dots(const std::string& text, std::int64_t scale = 1) {
  Picture picture = blank_picture(text_width(text, scale), text_height(scale), {255, 255, 255});
  write_text(picture, 0, 0, text, scale, {0, 0, 0});
  std::string shown;
  for (std::int64_t y = 0; y < picture.height; ++y) {
    for (std::int64_t x = 0; x < picture.width; ++x) shown += pixel(picture, x, y)[0] == 0 ? '#' : '.';
    shown += '\n';
  }
  return shown;
}

TEST(Lettering, DrawsLettersOfFiveBySeven) {
  EXPECT_EQ(dots("1L"),
            "..#...#....\n"
            ".##...#....\n"
            "..#...#....\n"
            "..#...#....\n"
            "..#...#....\n"
            "..#...#....\n"
            ".###..#####\n");
  EXPECT_EQ(dots("l"), dots("L"));
  EXPECT_EQ(dots("\xc3\xa9"), dots("~")) << "one frame for one unknown letter";
  EXPECT_EQ(text_width("", 3), 0);
  EXPECT_EQ(text_width("12", 3), 33);
  EXPECT_EQ(dots("8", 2).size(), 14u * 11) << "14 rows of 10 dots and a newline";
}

TEST(Lettering, EveryLetterThatIsUsedHasALookOfItsOwn) {
  std::set<std::string> looks;
  const std::string letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ.,:-+/<>()_%#'";
  for (const char letter : letters) looks.insert(dots(std::string(1, letter)));
  EXPECT_EQ(looks.size(), letters.size());
  EXPECT_FALSE(looks.contains(dots("~")));
}

TEST(Lettering, WhatIsOutsideIsLeftOut) {
  Picture picture = blank_picture(4, 3, {1, 2, 3});
  fill(picture, -5, -5, 100, 100, {9, 9, 9});
  for (const unsigned char channel : picture.rgb) EXPECT_EQ(channel, 9);
  write_text(picture, 2, -3, "888", 3, {0, 0, 0});
  EXPECT_EQ(picture.rgb.size(), 36u);
  EXPECT_THROW(static_cast<void>(blank_picture(0, 3, {})), halocline::InternalError);
}

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

TEST(MatrixPicture, HoldsAllCellsAndTheScale) {
  for (const std::int64_t size : {1, 2, 8, 17, 64, 65, 300}) {
    const Picture picture = draw(matrix(size));
    EXPECT_EQ(static_cast<std::int64_t>(picture.rgb.size()), 3 * picture.width * picture.height) << size;
    EXPECT_LT(picture.width, 4000) << size;
    EXPECT_GT(picture.width, 4 * size) << size;
    EXPECT_GT(picture.height, 4 * size) << size;
    EXPECT_GT(count_black(picture), 50) << size;
  }
}

TEST(MatrixPicture, ColoursGrowWithTheValueAndTheDiagonalDoesNotCount) {
  RateMatrix one = matrix(2);
  one.values = {4000, 100, 50, 4000};
  const Picture picture = draw(one);
  // A cell's corner pixels have its colour: find the four colours by looking for them.
  std::set<std::array<int, 3>> colours;
  for (std::int64_t y = 0; y < picture.height; ++y) {
    for (std::int64_t x = 0; x < picture.width; ++x) colours.insert(pixel(picture, x, y));
  }
  const auto as_array = [](Rgb c) { return std::array<int, 3>{c.red, c.green, c.blue}; };
  EXPECT_TRUE(colours.contains(as_array(sequential_colour(1.0)))) << "the largest beside the diagonal is the darkest";
  EXPECT_TRUE(colours.contains(as_array(sequential_colour(0.5))));
  EXPECT_TRUE(colours.contains({216, 216, 216})) << "the diagonal";
}

TEST(MatrixPicture, MoreNumbersAreMoreInk) {
  RateMatrix full = matrix(4);
  RateMatrix empty = full;
  std::fill(empty.values.begin(), empty.values.end(), nothing);
  std::fill(full.values.begin(), full.values.end(), 188.0);
  std::int64_t dark_full = count_black(draw(full));
  std::int64_t dark_empty = count_black(draw(empty));
  EXPECT_GT(dark_full, dark_empty) << "at least the grey diagonal's numbers are black";
}

TEST(MatrixPicture, RefusesSizesThatDoNotFit) {
  RateMatrix wrong = matrix(3);
  wrong.values.pop_back();
  try {
    static_cast<void>(draw(wrong));
    ADD_FAILURE();
  } catch (const halocline::InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("a matrix of 3 x 3 was given 8 values"));
  }
  EXPECT_THROW(static_cast<void>(draw(matrix(0))), halocline::InvalidArgument);
  EXPECT_THROW(static_cast<void>(draw(matrix(513))), halocline::InvalidArgument);
}

}  // namespace
