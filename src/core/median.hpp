// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace halocline {

/// The median; for an even number of values, the mean of the two in the middle; 0 for no values.
[[nodiscard]] double median(std::vector<double> values);

/// The value below which a fraction (0 to 1) of the sorted values lies, linear between neighbours (R's type
/// 7, NumPy's default). Throws InvalidArgument without values.
[[nodiscard]] double percentile(std::span<const double> sorted, double fraction);

}  // namespace halocline
