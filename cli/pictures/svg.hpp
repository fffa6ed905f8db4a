// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>

#include "picture.hpp"

namespace cli {

/// In pixels, y downwards.
struct Point {
  double x = 0;
  double y = 0;
};

/// Letters are about 0.55 of this wide.
inline constexpr double font_size = 13;
inline constexpr double letter_width = 0.55 * font_size;

/// "#rrggbb"
[[nodiscard]] std::string hex(const Rgb& colour);
/// The colour for the n-th of several kinds: eight that people with colour-blindness can tell apart (M. Okabe and K. Ito, 2008),
/// without black; then from the first again.
[[nodiscard]] Rgb kind_colour(std::size_t n);
/// Between a colour (0) and white (1), or black (-1).
[[nodiscard]] Rgb lightened(const Rgb& colour, double by);
/// Black or white, whichever stands out more.
[[nodiscard]] Rgb letters_on(const Rgb& ground);

/// An SVG document that is drawn piece by piece. Texts are text, not paths.
class Svg {
 public:
  struct Text {
    const char* anchor = "start";  ///< start, middle or end: where x is; y is the middle of the line
    double size = font_size;
    Rgb colour{};
    bool bold = false;
    bool upwards = false;  ///< turned by a quarter
  };
  struct Line {
    Rgb colour{};
    double width = 1;
    bool dashed = false;
  };

  void text(Point at, const std::string& text, const Text& style);
  void text(Point at, const std::string& words) { text(at, words, Text{}); }
  /// Turned upwards to the right, with its end at the point: the label of a category.
  void slanted(Point at, const std::string& words);
  /// title: what a browser shows for it; may be empty.
  void rectangle(Point at, double width, double height, const Rgb& fill, const std::string& title = "");
  void frame(Point at, double width, double height, const Rgb& fill, const Line& edge);
  void polygon(std::initializer_list<Point> corners, const Rgb& fill, const Line& edge);
  void polyline(std::span<const Point> points, const Line& style);
  void line(Point from, Point to, const Line& style);
  /// A line that leaves its chord by `rise` pixels to the right of its direction.
  void arc(Point from, Point to, double rise, const Line& style);
  void circle(Point centre, double radius, const Rgb& fill);

  /// The whole, on white.
  [[nodiscard]] std::string document(double width, double height, const std::string& title) const;

 private:
  std::string body_;
};

}  // namespace cli
