// SPDX-License-Identifier: BSD-3-Clause
#include "matrix_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "halocline/error.hpp"
#include "picture.hpp"
#include "pictures/svg.hpp"

namespace cli {
namespace {

constexpr std::int64_t most_rows = 512;
constexpr std::int64_t most_rows_with_numbers = 64;
// Pixels; a letter is about 8 wide.
constexpr std::int64_t letter = 8;
constexpr std::int64_t margin = 16;
constexpr std::int64_t left = 80;  ///< of the first cell
constexpr std::int64_t top = 72;
constexpr std::int64_t bar_width = 24;

void check(const RateMatrix& matrix) {
  if (matrix.size < 1 || matrix.size > most_rows) {
    throw halocline::InvalidArgument(
        fmt::format("a matrix to be drawn has {} rows; allowed is 1 to {}", matrix.size, most_rows));
  }
  if (static_cast<std::int64_t>(matrix.values.size()) != matrix.size * matrix.size) {
    throw halocline::InvalidArgument(
        fmt::format("a matrix of {0} x {0} was given {1} values", matrix.size, matrix.values.size()));
  }
}

/// Off the diagonal; 1 where nothing is above 0.
double largest_of(const RateMatrix& matrix) {
  double largest = 0;
  for (std::int64_t i = 0; i < matrix.size * matrix.size; ++i) {
    const double value = matrix.values[static_cast<std::size_t>(i)];
    if (i / matrix.size != i % matrix.size && value > largest) largest = value;  // NaN is not
  }
  return largest > 0 ? largest : 1;
}

}  // namespace

std::string cell_text(double value) {
  if (std::isnan(value)) return "-";
  return fmt::format("{:.{}f}", value, value >= 99.95 ? 0 : (value >= 9.995 ? 1 : (value >= 0.9995 ? 2 : 3)));
}

std::string svg_of(const RateMatrix& matrix) {
  check(matrix);
  const bool numbers = matrix.size <= most_rows_with_numbers;
  const double largest = largest_of(matrix);
  const std::int64_t width = numbers ? 56 : 4;
  const std::int64_t height = numbers ? 32 : 4;
  const std::int64_t step = numbers ? 1 : 16;  // between labels
  const std::int64_t side_x = matrix.size * width;
  const std::int64_t side_y = std::max<std::int64_t>(matrix.size * height, 6 * margin);
  Svg svg;
  const auto at = [](std::int64_t x, std::int64_t y) { return Point{static_cast<double>(x), static_cast<double>(y)}; };
  const auto rectangle = [&](std::int64_t x, std::int64_t y, std::int64_t wide, std::int64_t high, const Rgb& fill) {
    svg.rectangle(at(x, y), static_cast<double>(wide), static_cast<double>(high), fill);
  };
  svg.text(at(margin, margin), matrix.title);
  svg.text(at(left + side_x / 2, top - 32), matrix.columns, {.anchor = "middle"});
  svg.text(at(margin, top + matrix.size * height / 2), matrix.rows);
  for (std::int64_t row = 0; row < matrix.size; ++row) {
    const std::int64_t y = top + row * height;
    if (row % step == 0) {
      svg.text(at(left + row * width + width / 2, top - 12), std::to_string(row), {.anchor = "middle"});
      svg.text(at(left - letter, y + height / 2), std::to_string(row), {.anchor = "end"});
    }
    for (std::int64_t column = 0; column < matrix.size; ++column) {
      const double value = matrix.values[static_cast<std::size_t>(row * matrix.size + column)];
      Rgb ground = std::isnan(value) ? Rgb{255, 255, 255} : sequential_colour(value / largest);
      if (row == column) ground = {216, 216, 216};
      const std::int64_t x = left + column * width;
      rectangle(x, y, width, height, ground);
      if (!numbers) continue;
      svg.text(at(x + width / 2, y + height / 2), cell_text(value), {.anchor = "middle", .colour = letters_on(ground)});
    }
  }
  const std::int64_t bar = left + side_x + margin;
  constexpr int steps = 64;
  for (int i = 0; i < steps; ++i) {
    const std::int64_t y = side_y * i / steps;
    rectangle(bar, top + y, bar_width, side_y * (i + 1) / steps - y,
              sequential_colour(1 - static_cast<double>(i) / (steps - 1)));
  }
  svg.text(at(bar, top - 12), matrix.unit);
  for (int tick = 0; tick <= 4; ++tick) {
    svg.text(at(bar + bar_width + 4, top + side_y * (4 - tick) / 4), tick == 0 ? "0" : cell_text(tick * largest / 4));
  }
  const std::int64_t all_x =
      std::max<std::int64_t>(bar + bar_width + 9 * letter, 2 * margin + letter * std::ssize(matrix.title));
  return svg.document(static_cast<double>(all_x), static_cast<double>(top + side_y + margin), matrix.title);
}

}  // namespace cli
