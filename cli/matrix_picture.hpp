// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

/// A square matrix of rates, to be drawn as cells with their numbers, labels and a colour scale from 0 to the largest
/// value off the diagonal.
struct RateMatrix {
  std::int64_t size = 0;       ///< rows and columns, 1 to 512
  std::vector<double> values;  ///< row-major, 0 or more; NaN where there is none
  std::string title;
  std::string unit;
  std::string rows = "from";
  std::string columns = "to";
};

/// The matrix as an SVG document. The diagonal is grey, because it is of another kind; cells without a value are white. Numbers are
/// left out above 64 rows. Throws InvalidArgument where sizes do not fit together.
[[nodiscard]] std::string svg_of(const RateMatrix& matrix);

/// "394", "39.4", "3.94", "0.394": three digits.
[[nodiscard]] std::string cell_text(double value);

}  // namespace cli
