// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace cli {

/// Round numbers (1, 2 or 5 times a power of ten) from lowest to highest, about six.
[[nodiscard]] std::vector<double> linear_ticks(double lowest, double highest);
/// 1, 2 and 5 times the powers of ten from lowest to highest; of many, the powers alone, and of few, numbers between them, too. Both are above 0.
[[nodiscard]] std::vector<double> log_ticks(double lowest, double highest);
/// The shortest text of a number.
[[nodiscard]] std::string tick_text(double value);

}  // namespace cli
