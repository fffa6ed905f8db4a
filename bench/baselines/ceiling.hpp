// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::bench {

/// Seconds of a way's transfer by itself, and of its library's plain transfer of the same bytes in the same run.
struct TransferTimes {
  double way = 0;
  double plain = 0;
};

/// Messages of this size or more reach their library's rate, unless the configuration is broken.
inline constexpr std::int64_t large_messages = std::int64_t{16} << 20;

/// Whether the transfer of so many bytes reaches half of its library's ceiling; small ones need not.
[[nodiscard]] constexpr bool reaches_half_of_ceiling(const TransferTimes& transfer, std::int64_t bytes_out) {
  return bytes_out < large_messages || transfer.way <= 2 * transfer.plain;
}

}  // namespace halocline::bench
