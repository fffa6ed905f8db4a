// SPDX-License-Identifier: BSD-3-Clause
#include "picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "halocline/error.hpp"

namespace cli {
namespace {

using Colour = std::array<double, 3>;

/// From dark blue over pale grey to dark red, in Oklab: lightness, green-red, blue-yellow.
constexpr std::array<Colour, 5> anchors{
    {{0.30, -0.02, -0.13}, {0.66, -0.06, -0.12}, {0.95, 0.00, 0.01}, {0.69, 0.12, 0.11}, {0.36, 0.14, 0.06}}};

/// From pale yellow over green to dark blue.
constexpr std::array<Colour, 4> darkening{
    {{0.97, -0.02, 0.09}, {0.76, -0.11, 0.05}, {0.53, -0.07, -0.06}, {0.28, 0.01, -0.11}}};

double to_srgb(double linear) {
  const double v = std::clamp(linear, 0.0, 1.0);
  return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
}

unsigned char to_byte(double linear) { return static_cast<unsigned char>(std::lround(255 * to_srgb(linear))); }

Rgb from_oklab(const Colour& lab) {
  const auto cube = [](double v) { return v * v * v; };
  const double l = cube(lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2]);
  const double m = cube(lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2]);
  const double s = cube(lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2]);
  return {to_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          to_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          to_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

Rgb between_anchors(std::span<const Colour> colours, double value) {
  if (std::isnan(value)) return {};
  const double at = std::clamp(value, 0.0, 1.0) * static_cast<double>(colours.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), colours.size() - 2);
  const double weight = at - static_cast<double>(below);
  Colour mixed{};
  for (std::size_t c = 0; c < 3; ++c) {
    mixed[c] = colours[below][c] + weight * (colours[below + 1][c] - colours[below][c]);
  }
  return from_oklab(mixed);
}

/// Between cell centres: the two nearest cells and the weight of the second.
struct Between {
  std::int64_t first = 0;
  std::int64_t second = 0;
  double weight = 0;
};
Between between(std::int64_t pixel, std::int64_t scale, std::int64_t cells) {
  const double at = (static_cast<double>(pixel) + 0.5) / static_cast<double>(scale) - 0.5;
  const auto first = static_cast<std::int64_t>(std::floor(at));
  return {std::clamp<std::int64_t>(first, 0, cells - 1), std::clamp<std::int64_t>(first + 1, 0, cells - 1),
          at - std::floor(at)};
}

}  // namespace

Rgb diverging_colour(double value) { return between_anchors(anchors, value); }

Rgb sequential_colour(double value) { return between_anchors(darkening, value); }

Picture paint(std::span<const double> values, std::int64_t width, std::int64_t height, double lowest, double highest,
              std::int64_t least_width) {
  if (width < 1 || height < 1 || static_cast<std::int64_t>(values.size()) != width * height) {
    throw halocline::InvalidArgument(
        fmt::format("a picture of {} x {} cells was given {} values", width, height, values.size()));
  }
  const std::int64_t scale = (least_width + width - 1) / width;
  Picture picture{width * scale, height * scale, {}};
  picture.rgb.reserve(static_cast<std::size_t>(picture.width * picture.height * 3));
  const auto value = [&](std::int64_t x, std::int64_t y) { return values[static_cast<std::size_t>(y * width + x)]; };
  for (std::int64_t row = 0; row < picture.height; ++row) {
    const Between y = between(picture.height - 1 - row, scale, height);
    for (std::int64_t column = 0; column < picture.width; ++column) {
      const Between x = between(column, scale, width);
      const double lower = (1 - x.weight) * value(x.first, y.first) + x.weight * value(x.second, y.first);
      const double upper = (1 - x.weight) * value(x.first, y.second) + x.weight * value(x.second, y.second);
      const double mixed = (1 - y.weight) * lower + y.weight * upper;
      const Rgb colour = diverging_colour((mixed - lowest) / (highest - lowest));
      picture.rgb.insert(picture.rgb.end(), {colour.red, colour.green, colour.blue});
    }
  }
  return picture;
}

}  // namespace cli
