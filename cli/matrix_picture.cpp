#include "matrix_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "halocline/core/error.hpp"
#include "lettering.hpp"

namespace cli {
namespace {

constexpr std::int64_t most_rows = 512;
constexpr std::int64_t most_rows_with_numbers = 64;
constexpr std::int64_t most_rows_with_large_letters = 16;
constexpr std::int64_t margin = 16;
constexpr std::int64_t bar_width = 24;
constexpr Rgb black{0, 0, 0};
constexpr Rgb white{255, 255, 255};
constexpr Rgb grey{216, 216, 216};

/// Where everything stands, in pixels.
struct Layout {
  std::int64_t scale;  ///< of letters
  std::int64_t cell_width;
  std::int64_t cell_height;
  std::int64_t left;  ///< of the first cell
  std::int64_t top;
  std::int64_t side_x;  ///< width and height of all cells
  std::int64_t side_y;
};

/// Black or white, whichever stands out more.
Rgb letters_on(Rgb ground) {
  const double brightness = 0.299 * ground.red + 0.587 * ground.green + 0.114 * ground.blue;
  return brightness > 140 ? black : white;
}

void centred(Picture& picture, std::int64_t middle_x, std::int64_t middle_y, const std::string& text,
             std::int64_t scale, Rgb colour) {
  write_text(picture, middle_x - text_width(text, scale) / 2, middle_y - text_height(scale) / 2, text, scale, colour);
}

Layout layout_of(const RateMatrix& matrix) {
  const bool numbers = matrix.size <= most_rows_with_numbers;
  Layout layout{};
  layout.scale = matrix.size <= most_rows_with_large_letters ? 2 : 1;
  std::int64_t widest = 0;
  for (const double value : matrix.values) widest = std::max(widest, text_width(cell_text(value), layout.scale));
  layout.cell_width = numbers ? widest + 8 * layout.scale : 4;
  layout.cell_height = numbers ? text_height(layout.scale) + 12 * layout.scale : 4;
  const std::int64_t label = text_width(fmt::format("{}", matrix.size - 1), layout.scale);
  layout.left = margin + text_width(matrix.rows, layout.scale) + label + 3 * margin / 2;
  layout.top = 2 * margin + 3 * (text_height(layout.scale) + margin / 2);
  layout.side_x = matrix.size * layout.cell_width;
  layout.side_y = matrix.size * layout.cell_height;
  return layout;
}

/// Every so many rows gets a label, so that labels do not touch.
std::int64_t label_step(const Layout& layout, std::int64_t size) {
  std::int64_t step = 1;
  const std::int64_t wide = text_width(fmt::format("{}", size - 1), layout.scale) + 4;
  while (step * layout.cell_width < wide || step * layout.cell_height < text_height(layout.scale) + 2) step *= 2;
  return step;
}

void draw_labels(Picture& picture, const RateMatrix& matrix, const Layout& layout) {
  const std::int64_t line = text_height(layout.scale);
  write_text(picture, margin, margin, matrix.title, layout.scale, black);
  centred(picture, layout.left + layout.side_x / 2, layout.top - 2 * line - margin / 2, matrix.columns, layout.scale,
          black);
  write_text(picture, margin, layout.top + layout.side_y / 2 - line / 2, matrix.rows, layout.scale, black);
  const std::int64_t step = label_step(layout, matrix.size);
  for (std::int64_t i = 0; i < matrix.size; i += step) {
    const std::string number = fmt::format("{}", i);
    centred(picture, layout.left + i * layout.cell_width + layout.cell_width / 2, layout.top - line, number,
            layout.scale, black);
    write_text(picture, layout.left - text_width(number, layout.scale) - margin / 2,
               layout.top + i * layout.cell_height + (layout.cell_height - line) / 2, number, layout.scale, black);
  }
}

void draw_cells(Picture& picture, const RateMatrix& matrix, const Layout& layout, double largest) {
  const std::int64_t gap = layout.cell_width > 8 ? 1 : 0;
  for (std::int64_t row = 0; row < matrix.size; ++row) {
    for (std::int64_t column = 0; column < matrix.size; ++column) {
      const double value = matrix.values[static_cast<std::size_t>(row * matrix.size + column)];
      Rgb ground = std::isnan(value) ? white : sequential_colour(value / largest);
      if (row == column) ground = grey;
      const std::int64_t x = layout.left + column * layout.cell_width;
      const std::int64_t y = layout.top + row * layout.cell_height;
      fill(picture, x, y, layout.cell_width - gap, layout.cell_height - gap, ground);
      if (matrix.size > most_rows_with_numbers) continue;
      centred(picture, x + layout.cell_width / 2, y + layout.cell_height / 2, cell_text(value), layout.scale,
              letters_on(ground));
    }
  }
}

void draw_scale(Picture& picture, const RateMatrix& matrix, const Layout& layout, double largest) {
  const std::int64_t left = layout.left + layout.side_x + margin;
  const std::int64_t line = text_height(layout.scale);
  const std::int64_t height = std::max(layout.side_y, 6 * line);
  for (std::int64_t y = 0; y < height; ++y) {
    const double value = 1 - static_cast<double>(y) / static_cast<double>(height - 1);
    fill(picture, left, layout.top + y, bar_width, 1, sequential_colour(value));
  }
  write_text(picture, left, layout.top - line - margin / 2, matrix.unit, layout.scale, black);
  for (int tick = 0; tick <= 4; ++tick) {
    const double part = tick / 4.0;
    const auto y = static_cast<std::int64_t>(std::lround((1 - part) * static_cast<double>(height - line)));
    write_text(picture, left + bar_width + 4, layout.top + y, tick == 0 ? "0" : cell_text(part * largest), layout.scale,
               black);
  }
}

}  // namespace

std::string cell_text(double value) {
  if (std::isnan(value)) return "-";
  return fmt::format("{:.{}f}", value, value >= 99.95 ? 0 : (value >= 9.995 ? 1 : (value >= 0.9995 ? 2 : 3)));
}

Picture draw(const RateMatrix& matrix) {
  if (matrix.size < 1 || matrix.size > most_rows) {
    throw halocline::InvalidArgument(
        fmt::format("a matrix to be drawn has {} rows; allowed is 1 to {}", matrix.size, most_rows));
  }
  if (static_cast<std::int64_t>(matrix.values.size()) != matrix.size * matrix.size) {
    throw halocline::InvalidArgument(
        fmt::format("a matrix of {0} x {0} was given {1} values", matrix.size, matrix.values.size()));
  }
  double largest = 0;
  for (std::int64_t i = 0; i < matrix.size * matrix.size; ++i) {
    const double value = matrix.values[static_cast<std::size_t>(i)];
    if (i / matrix.size != i % matrix.size && value > largest) largest = value;  // NaN is not
  }
  if (largest <= 0) largest = 1;
  const Layout layout = layout_of(matrix);
  const std::int64_t numbers =
      std::max(text_width(cell_text(largest), layout.scale), text_width(matrix.unit, layout.scale));
  const std::int64_t width = std::max(layout.left + layout.side_x + 2 * margin + bar_width + 4 + numbers,
                                      2 * margin + text_width(matrix.title, layout.scale));
  const std::int64_t height = layout.top + std::max(layout.side_y, 6 * text_height(layout.scale)) + margin;
  Picture picture = blank_picture(width, height, white);
  draw_cells(picture, matrix, layout, largest);
  draw_labels(picture, matrix, layout);
  draw_scale(picture, matrix, layout, largest);
  return picture;
}

}  // namespace cli
