// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "pictures/study_picture.hpp"

namespace cli {

/// Step times of `halocline predict --study strong|weak`, by simulation and, dashed, by the closed form, both overlapped.
[[nodiscard]] std::vector<Chart> prediction_charts(const std::vector<CsvRow>& rows);
/// `halocline predict --study schemes`: the schemes of laplace3d by size.
[[nodiscard]] std::vector<Chart> scheme_charts(const std::vector<CsvRow>& rows);

}  // namespace cli
