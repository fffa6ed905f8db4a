// SPDX-License-Identifier: BSD-3-Clause
#include "pictures/chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "halocline/error.hpp"
#include "pictures/axis.hpp"
#include "pictures/svg.hpp"
#include "statistics.hpp"

namespace cli {
namespace {

using halocline::InvalidArgument;

constexpr double chart_left = 84;
constexpr double chart_height = 300;
constexpr double chart_margin = 20;
constexpr std::size_t most_series = 64;
constexpr Rgb chart_grid{222, 222, 222};

/// Values along an axis of so many pixels.
struct Axis {
  double lowest = 0;
  double highest = 1;
  bool logarithmic = false;
  double pixels = 1;
  [[nodiscard]] double at(double value) const {
    if (logarithmic) return pixels * std::log(value / lowest) / std::log(highest / lowest);
    return pixels * (value - lowest) / (highest - lowest);
  }
};

class ChartPicture {
 public:
  ChartPicture(const Chart& chart, Svg& svg, double top) : chart_(chart), svg_(svg), top_(top + 34) {
    check();
    const double bars = 26.0 * static_cast<double>(chart.categories.size() * chart.series.size()) / 1.6;
    width_ = chart.categories.empty() ? 560 : std::clamp(bars, 420.0, 1100.0);
    x_.pixels = width_;
    x_.logarithmic = chart.log_x;
    y_ = {0, 0, chart.log_y, chart_height};
    bool first = true;
    for (const Series& series : chart.series) {
      for (const Value& value : series.values) {
        x_.lowest = first ? value.x : std::min(x_.lowest, value.x);
        x_.highest = first ? value.x : std::max(x_.highest, value.x);
        if (chart.log_y) y_.lowest = first ? value.lowest : std::min(y_.lowest, value.lowest);
        y_.highest = first ? value.highest : std::max(y_.highest, value.highest);
        first = false;
      }
    }
    pad();
  }

  void draw() {
    svg_.text({chart_left, top_ - 14}, chart_.title, {.bold = true});
    y_axis();
    chart_.categories.empty() ? x_axis() : category_axis();
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      chart_.categories.empty() ? curve(chart_.series[s]) : bars(s);
    }
    legend();
  }
  [[nodiscard]] double width() const { return chart_left + width_ + legend_width(); }
  [[nodiscard]] double bottom() const {
    const double names = chart_.categories.empty() ? 20 : 0.75 * longest_category();
    return std::max(top_ + chart_height + names + (chart_.x_label.empty() ? 16 : 40),
                    top_ + 20.0 * static_cast<double>(chart_.series.size()));
  }

 private:
  void check() const {
    if (chart_.series.size() > most_series) {
      throw InvalidArgument(
          fmt::format("a chart with {} series; allowed are at most {}", chart_.series.size(), most_series));
    }
    std::size_t values = 0;
    for (const Series& series : chart_.series) {
      for (const Value& value : series.values) {
        ++values;
        const bool fits = std::isfinite(value.x) && std::isfinite(value.y) && (!chart_.log_x || value.x > 0) &&
                          (!chart_.log_y || value.lowest > 0);
        if (fits) continue;
        throw InvalidArgument(fmt::format("'{}' has the value ({}, {}); allowed are finite values{}", series.name,
                                          value.x, value.y, chart_.log_y ? " above 0" : ""));
      }
    }
    if (values == 0) throw InvalidArgument(fmt::format("the chart '{}' has no values", chart_.title));
  }

  /// Room around the values.
  void pad() {
    if (chart_.categories.empty()) {
      const double factor = chart_.log_x ? std::pow(x_.highest / x_.lowest, 0.04) : 1;
      x_.lowest = chart_.log_x ? x_.lowest / factor : x_.lowest - 0.04 * (x_.highest - x_.lowest);
      x_.highest = chart_.log_x ? x_.highest * factor : x_.highest + 0.04 * (x_.highest - x_.lowest);
      if (x_.lowest == x_.highest)
        x_ = {x_.lowest * (chart_.log_x ? 0.5 : 0) - (chart_.log_x ? 0 : 1), x_.highest * 2 + 1, chart_.log_x, width_};
    } else {
      x_.lowest = -0.5;
      x_.highest = static_cast<double>(chart_.categories.size()) - 0.5;
    }
    if (chart_.log_y) {
      y_.lowest /= 1.3;
      y_.highest *= 1.3;
    } else {
      y_.highest = y_.highest > 0 ? 1.06 * y_.highest : 1;
    }
  }

  [[nodiscard]] Point place(double x, double y) const {
    return {chart_left + x_.at(x), top_ + chart_height - y_.at(y)};
  }
  [[nodiscard]] double longest_category() const {
    std::size_t longest = 0;
    for (const std::string& name : chart_.categories) longest = std::max(longest, name.size());
    return letter_width * 11 / font_size * static_cast<double>(longest);
  }
  [[nodiscard]] double legend_width() const {
    std::size_t longest = 0;
    for (const Series& series : chart_.series) longest = std::max(longest, series.name.size());
    return 56 + letter_width * static_cast<double>(longest) + chart_margin;
  }

  void y_axis() {
    for (const double tick : chart_.log_y ? log_ticks(y_.lowest, y_.highest) : linear_ticks(y_.lowest, y_.highest)) {
      const double y = top_ + chart_height - y_.at(tick);
      svg_.line({chart_left, y}, {chart_left + width_, y}, {chart_grid, 0.8, false});
      svg_.text({chart_left - 8, y}, tick_text(tick), {.anchor = "end", .size = 12});
    }
    svg_.line({chart_left, top_}, {chart_left, top_ + chart_height}, {});
    svg_.line({chart_left, top_ + chart_height}, {chart_left + width_, top_ + chart_height}, {});
    svg_.text({chart_margin, top_ + chart_height / 2}, chart_.y_label, {.anchor = "middle", .upwards = true});
  }

  void x_axis() {
    const auto& given = chart_.x_ticks;
    const auto ticks = !given.empty() ? given
                       : chart_.log_x ? log_ticks(x_.lowest, x_.highest)
                                      : linear_ticks(x_.lowest, x_.highest);
    for (const double tick : ticks) {
      const double x = chart_left + x_.at(tick);
      svg_.line({x, top_}, {x, top_ + chart_height + 4}, {chart_grid, 0.8, false});
      svg_.text({x, top_ + chart_height + 16}, tick_text(tick), {.anchor = "middle", .size = 12});
    }
    svg_.text({chart_left + width_ / 2, top_ + chart_height + 40}, chart_.x_label, {.anchor = "middle"});
  }

  void category_axis() {
    for (std::size_t c = 0; c < chart_.categories.size(); ++c) {
      svg_.slanted({chart_left + x_.at(static_cast<double>(c)), top_ + chart_height + 12}, chart_.categories[c]);
    }
  }

  void curve(const Series& series) {
    const Rgb colour = kind_colour(series.kind);
    std::vector<Point> points;
    for (const Value& value : series.values) points.push_back(place(value.x, value.y));
    svg_.polyline(points, {colour, 2, series.dashed});
    for (const Value& value : series.values) {
      if (!series.dashed) mark(place(value.x, value.y), series.kind);
      if (value.highest > value.lowest)
        svg_.line(place(value.x, value.lowest), place(value.x, value.highest), {colour});
    }
  }

  /// Kinds differ by shape, too.
  void mark(Point at, std::size_t kind) {
    const Rgb colour = kind_colour(kind);
    if (kind % 3 == 0) return svg_.circle(at, 4, colour);
    if (kind % 3 == 1) return svg_.rectangle({at.x - 3.5, at.y - 3.5}, 7, 7, colour);
    svg_.polygon({{at.x, at.y - 5}, {at.x + 5, at.y + 4}, {at.x - 5, at.y + 4}}, colour, {colour, 0.5, false});
  }

  void bars(std::size_t s) {
    const Series& series = chart_.series[s];
    const Rgb colour = kind_colour(series.kind);
    const double slot = 0.8 / static_cast<double>(chart_.series.size());
    for (const Value& value : series.values) {
      const double middle =
          value.x + (static_cast<double>(s) - static_cast<double>(chart_.series.size() - 1) / 2) * slot;
      const Point top = place(middle - slot / 2, value.y);
      const double wide = x_.at(slot) - x_.at(0);
      svg_.rectangle(top, wide - 1, top_ + chart_height - top.y, series.dashed ? lightened(colour, 0.5) : colour,
                     fmt::format("{}: {}", series.name, tick_text(value.y)));
      if (value.highest > value.lowest) {
        svg_.line(place(middle, value.lowest), place(middle, value.highest), {.width = 0.8});
      }
    }
  }

  void legend() {
    double y = top_ + 10;
    for (const Series& series : chart_.series) {
      const double x = chart_left + width_ + 16;
      const Rgb colour = kind_colour(series.kind);
      if (chart_.categories.empty()) {
        svg_.line({x, y}, {x + 24, y}, {colour, 2, series.dashed});
        if (!series.dashed) mark({x + 12, y}, series.kind);
      } else {
        svg_.rectangle({x + 6, y - 6}, 12, 12, series.dashed ? lightened(colour, 0.5) : colour);
      }
      svg_.text({x + 32, y}, series.name);
      y += 20;
    }
  }

  const Chart& chart_;
  Svg& svg_;
  double top_;
  double width_ = 0;
  Axis x_, y_;
};

}  // namespace

Value median_at(double x, std::span<const double> repetitions) {
  const auto [low, high] = std::ranges::minmax(repetitions);
  return {x, statistics_of(repetitions).p50, low, high};
}

std::string svg_of(std::span<const Chart> charts) {
  if (charts.empty()) throw InvalidArgument("no charts; allowed is 1 or more");
  Svg svg;
  double y = chart_margin;
  double width = 0;
  for (const Chart& chart : charts) {
    ChartPicture picture(chart, svg, y);
    picture.draw();
    y = picture.bottom() + chart_margin;
    width = std::max(width, picture.width());
  }
  return svg.document(width + chart_margin, y, charts.front().title);
}

}  // namespace cli
