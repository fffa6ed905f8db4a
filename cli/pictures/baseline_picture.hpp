// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "pictures/chart.hpp"
#include "pictures/study_picture.hpp"

namespace cli {

/// The same exchange by several libraries (bench_baseline_*), by grid of ranks and by how it is timed: a curve for each library, over
/// the edge of the cube of cells on a GPU. A library's time is that of its fastest variant at that size, a variant's the median of its
/// rounds.
[[nodiscard]] std::vector<Chart> baseline_charts(const std::vector<CsvRow>& rows);

}  // namespace cli
