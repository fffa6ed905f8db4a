// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace halocline {

/// The median; for an even number of values, the mean of the two in the middle; 0 for no values.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace halocline
