// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>

namespace halocline {

/// Makes a process write recordings.
inline constexpr int recorder_signal = SIGUSR2;

/// What a process that writes recordings shows to others of its user: an anonymous file of this name with this content, which they
/// find in /proc/<pid>/fd.
struct RecorderMark {
  static constexpr const char* name = "halocline-recorder";
  static constexpr std::uint64_t current_version = 1;

  std::uint64_t version = 0;
  std::int64_t pid = 0;  ///< as the process sees it, which names its files
  /// Signals that recordings have been written for.
  std::atomic<std::uint64_t> written{0};
  std::array<char, 4096> folder{};  ///< absolute, ends with 0
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace halocline
