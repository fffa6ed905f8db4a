// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

namespace cli {

/// y at x, with the range of its repetitions; lowest and highest are y where there is one.
struct Value {
  double x = 0;
  double y = 0;
  double lowest = 0;
  double highest = 0;
};

/// The median of repetitions at x, with their range. There is at least one.
[[nodiscard]] Value median_at(double x, std::span<const double> repetitions);

struct Series {
  std::string name;
  std::vector<Value> values;
  bool dashed = false;   ///< a prediction, or a ceiling
  std::size_t kind = 0;  ///< series of one kind have one colour
};

/// Curves over numbers, or grouped bars over categories.
struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;                  ///< with the unit
  std::vector<std::string> categories;  ///< if not empty: bars, and a value's x is the number of its category
  std::vector<double> x_ticks{};        ///< of curves; empty: round numbers
  bool log_x = false;
  bool log_y = false;
  std::vector<Series> series;
};

/// Charts below each other, as one SVG document. Throws InvalidArgument for a chart without values, for a logarithmic axis with values
/// that are not above 0, and for more than 64 series.
[[nodiscard]] std::string svg_of(std::span<const Chart> charts);

}  // namespace cli
