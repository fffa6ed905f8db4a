// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace cli {

/// Of times in seconds.
struct Statistics {
  double mean = 0;  ///< as the first paper reports
  /// (Q1 + 2 Q2 + Q3) / 4 as its reference code reports it: Qk is the sorted value number k * (n / 4), from 0.
  double trimean = 0;
  double min = 0;
  double p25 = 0;
  double p50 = 0;
  double p75 = 0;
  double p95 = 0;
  double max = 0;
};

/// In any order. Throws InvalidArgument without values.
[[nodiscard]] Statistics statistics_of(std::span<const double> values);

}  // namespace cli
