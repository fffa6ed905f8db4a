// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace halocline {

/// The mean of the two in the middle where their number is even; 0 for none.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace halocline
