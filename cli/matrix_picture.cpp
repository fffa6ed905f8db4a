// SPDX-License-Identifier: BSD-3-Clause
#include "matrix_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/printable.hpp"
#include "halocline/error.hpp"
#include "picture.hpp"

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

std::string hex(const Rgb& colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue); }

/// Black or white, whichever stands out more.
const char* letters_on(const Rgb& ground) {
  return 0.299 * ground.red + 0.587 * ground.green + 0.114 * ground.blue > 140 ? "#000000" : "#ffffff";
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : halocline::printable(text)) {
    safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return safe;
}

/// anchor: start, middle or end, where x is. y is the middle of the line.
std::string text_at(std::int64_t x, std::int64_t y, const char* anchor, const std::string& text,
                    const char* colour = "#000000") {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y, anchor, colour,
                     escaped(text));
}

std::string rectangle(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height,
                      const std::string& fill) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x, y, width, height, fill);
}

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
  std::string body = text_at(margin, margin, "start", matrix.title) +
                     text_at(left + side_x / 2, top - 32, "middle", matrix.columns) +
                     text_at(margin, top + matrix.size * height / 2, "start", matrix.rows);
  for (std::int64_t row = 0; row < matrix.size; ++row) {
    const std::int64_t y = top + row * height;
    if (row % step == 0) {
      body += text_at(left + row * width + width / 2, top - 12, "middle", std::to_string(row));
      body += text_at(left - letter, y + height / 2, "end", std::to_string(row));
    }
    for (std::int64_t column = 0; column < matrix.size; ++column) {
      const double value = matrix.values[static_cast<std::size_t>(row * matrix.size + column)];
      Rgb ground = std::isnan(value) ? Rgb{255, 255, 255} : sequential_colour(value / largest);
      if (row == column) ground = {216, 216, 216};
      const std::int64_t x = left + column * width;
      body += rectangle(x, y, width, height, hex(ground));
      if (numbers) body += text_at(x + width / 2, y + height / 2, "middle", cell_text(value), letters_on(ground));
    }
  }
  const std::int64_t bar = left + side_x + margin;
  constexpr int steps = 64;
  for (int i = 0; i < steps; ++i) {
    const std::int64_t y = side_y * i / steps;
    body += rectangle(bar, top + y, bar_width, side_y * (i + 1) / steps - y,
                      hex(sequential_colour(1 - static_cast<double>(i) / (steps - 1))));
  }
  body += text_at(bar, top - 12, "start", matrix.unit);
  for (int tick = 0; tick <= 4; ++tick) {
    body += text_at(bar + bar_width + 4, top + side_y * (4 - tick) / 4, "start",
                    tick == 0 ? "0" : cell_text(tick * largest / 4));
  }
  const std::int64_t all_x =
      std::max<std::int64_t>(bar + bar_width + 9 * letter, 2 * margin + letter * std::ssize(matrix.title));
  const std::int64_t all_y = top + side_y + margin;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"13\" dominant-baseline=\"central\">\n{2}{3}</svg>\n",
      all_x, all_y, rectangle(0, 0, all_x, all_y, "#ffffff"), body);
}

}  // namespace cli
