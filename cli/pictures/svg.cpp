// SPDX-License-Identifier: BSD-3-Clause
#include "pictures/svg.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "core/printable.hpp"

namespace cli {
namespace {

std::string svg_escaped(const std::string& text) {
  std::string safe;
  for (const char c : halocline::printable(text)) {
    safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return safe;
}

/// At most two decimals.
std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string points_text(std::span<const Point> points) {
  std::string text;
  for (const Point& p : points)
    text += fmt::format("{}{},{}", text.empty() ? "" : " ", svg_number(p.x), svg_number(p.y));
  return text;
}

std::string svg_stroke(const Svg::Line& line) {
  return fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", hex(line.colour), svg_number(line.width),
                     line.dashed ? " stroke-dasharray=\"6 4\"" : "");
}

}  // namespace

std::string hex(const Rgb& colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue); }

Rgb kind_colour(std::size_t n) {
  static constexpr std::array<Rgb, 8> colours{{{0, 114, 178},
                                               {230, 159, 0},
                                               {0, 158, 115},
                                               {204, 121, 167},
                                               {86, 180, 233},
                                               {213, 94, 0},
                                               {240, 228, 66},
                                               {140, 140, 140}}};
  return colours[n % colours.size()];
}

Rgb lightened(const Rgb& colour, double by) {
  const auto mixed = [&](unsigned char channel) {
    const double towards = by > 0 ? 255 : 0;
    return static_cast<unsigned char>(std::lround(channel + std::abs(by) * (towards - channel)));
  };
  return {mixed(colour.red), mixed(colour.green), mixed(colour.blue)};
}

Rgb letters_on(const Rgb& ground) {
  return 0.299 * ground.red + 0.587 * ground.green + 0.114 * ground.blue > 140 ? Rgb{0, 0, 0} : Rgb{255, 255, 255};
}

void Svg::text(Point at, const std::string& text, const Text& style) {
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" dy=\".35em\" text-anchor=\"{}\" fill=\"{}\"", svg_number(at.x),
                       svg_number(at.y), style.anchor, hex(style.colour));
  if (style.size != font_size) body_ += fmt::format(" font-size=\"{}\"", svg_number(style.size));
  if (style.bold) body_ += " font-weight=\"bold\"";
  if (style.upwards) body_ += fmt::format(" transform=\"rotate(-90 {} {})\"", svg_number(at.x), svg_number(at.y));
  body_ += fmt::format(">{}</text>\n", svg_escaped(text));
}

void Svg::slanted(Point at, const std::string& words) {
  body_ += fmt::format(
      "<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\" font-size=\"11\" transform=\"rotate(-45 {0} {1})\">{2}</text>\n",
      svg_number(at.x), svg_number(at.y), svg_escaped(words));
}

void Svg::rectangle(Point at, double width, double height, const Rgb& fill, const std::string& title) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"", svg_number(at.x),
                       svg_number(at.y), svg_number(width), svg_number(height), hex(fill));
  body_ += title.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", svg_escaped(title));
}

void Svg::frame(Point at, double width, double height, const Rgb& fill, const Line& edge) {
  body_ +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"{}\" {}/>\n", svg_number(at.x),
                  svg_number(at.y), svg_number(width), svg_number(height), hex(fill), svg_stroke(edge));
}

void Svg::polygon(std::initializer_list<Point> corners, const Rgb& fill, const Line& edge) {
  body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" stroke-linejoin=\"round\" {}/>\n",
                       points_text({corners.begin(), corners.size()}), hex(fill), svg_stroke(edge));
}

void Svg::polyline(std::span<const Point> points, const Line& style) {
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", points_text(points), svg_stroke(style));
}

void Svg::line(Point from, Point to, const Line& style) {
  const std::array<Point, 2> ends{from, to};
  polyline(ends, style);
}

void Svg::arc(Point from, Point to, double rise, const Line& style) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const Point bend{(from.x + to.x) / 2 - 2 * rise * (to.y - from.y) / length,
                   (from.y + to.y) / 2 + 2 * rise * (to.x - from.x) / length};
  body_ += fmt::format("<path d=\"M{} {} Q{} {} {} {}\" fill=\"none\" {}/>\n", svg_number(from.x), svg_number(from.y),
                       svg_number(bend.x), svg_number(bend.y), svg_number(to.x), svg_number(to.y), svg_stroke(style));
}

void Svg::circle(Point centre, double radius, const Rgb& fill) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", svg_number(centre.x),
                       svg_number(centre.y), svg_number(radius), hex(fill));
}

std::string Svg::document(double width, double height, const std::string& title) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "font-family=\"sans-serif\" font-size=\"{2}\">\n<title>{3}</title>\n"
      "<rect x=\"0\" y=\"0\" width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n{4}</svg>\n",
      svg_number(std::ceil(width)), svg_number(std::ceil(height)), svg_number(font_size), svg_escaped(title), body_);
}

}  // namespace cli
