// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cli {

/// 8 bits a channel, red green blue, rows from the top.
struct Picture {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<unsigned char> rgb;
};

struct Rgb {
  unsigned char red = 0;
  unsigned char green = 0;
  unsigned char blue = 0;
};

/// A diverging colour for a value from 0 (cold) to 1 (hot); values outside are clamped, NaN is black.
/// Between a few anchors it is a straight line in Oklab (B. Ottosson, 2020), where equal steps look equal.
[[nodiscard]] Rgb diverging_colour(double value);

/// From pale yellow (0) over green to dark blue (1), darker with every step; else as diverging_colour.
[[nodiscard]] Rgb sequential_colour(double value);

/// A plane of values, x fastest, y upwards, as a picture at least `least_width` pixels wide; each cell a
/// whole number of pixels, colours linear between cell centres. lowest and highest get the ends of the
/// colour map. Throws InvalidArgument where the number of values is not width x height.
[[nodiscard]] Picture paint(std::span<const double> values, std::int64_t width, std::int64_t height, double lowest,
                            double highest, std::int64_t least_width);

/// Whether this build can write pictures, and why not.
[[nodiscard]] bool can_write_png();
/// The picture as a PNG file's content. Throws CapabilityError where this build has no libpng.
[[nodiscard]] std::string png_of(const Picture& picture);

}  // namespace cli
