// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "pictures/chart.hpp"
#include "pictures/study_picture.hpp"

namespace cli {

/// Charts of bench_baseline_*, one for each grid of ranks and each way of timing. A curve is the exchange time of one library over the
/// edge length of a GPU's cube of cells. At each size the library's fastest variant is drawn, by the median of its rounds.
[[nodiscard]] std::vector<Chart> baseline_charts(const std::vector<CsvRow>& rows);

}  // namespace cli
