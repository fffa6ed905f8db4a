// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pictures/chart.hpp"

namespace cli {

/// Rows of a CSV file by the names of its columns.
using CsvRow = std::map<std::string, std::string>;
/// Fields may be in double quotes. Throws InvalidArgument for a row with another number of fields than the first.
[[nodiscard]] std::vector<CsvRow> read_csv(std::string_view text, const std::string& file);

/// Throws InvalidArgument if the column has no number, or one that is too large or too small to be drawn.
[[nodiscard]] double csv_number(const CsvRow& row, const std::string& column);

/// What the rows of `halocline simulate --study`, bench_study, the baselines, `halocline run mhd --study`, `halocline bench links` and bench_pack show; rows
/// of several files of one kind in one chart, simulated beside measured. Throws InvalidArgument for columns of none of these.
[[nodiscard]] std::vector<Chart> charts_of(const std::vector<CsvRow>& rows);

}  // namespace cli
