// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/clock.hpp"

namespace halocline::device::host {

/// Sleeps of a thread that would be woken if there were something to do. They bound how late a
/// deadline, an abort word, the end of a rest, or a flag that was set without ringing is noticed.
inline constexpr Duration shortest_nap = std::chrono::microseconds(20);
inline constexpr Duration first_nap = std::chrono::milliseconds(1);
inline constexpr Duration longest_nap = std::chrono::milliseconds(8);

}  // namespace halocline::device::host
