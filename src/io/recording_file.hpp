// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/recording.hpp"

// Recordings as files, one for each domain of a rank.
namespace halocline::io {

/// What a file has at most.
inline constexpr std::size_t most_recording_bytes = std::size_t{8} << 20;
inline constexpr std::size_t most_recorded_messages = 8192;  ///< of all exchanges
inline constexpr std::size_t most_recorded_exchanges = 64;

/// A recording as JSON. Of more messages than allowed, those that are not waited for are left out first, and counted.
[[nodiscard]] std::string text_of(const Recording& recording);
/// The inverse. Throws InvalidArgument "recording '<path>': ..." with the place in the text, the value and what is allowed.
[[nodiscard]] Recording recording_from(std::string_view text, const std::string& path);

/// "rank-3.4711.json", and "rank-3.4711.2.json" for the rank's third domain.
[[nodiscard]] std::string recording_name(std::int64_t rank, std::int64_t pid, std::int64_t domain);
struct RecordingName {
  std::int64_t rank = 0;
  std::int64_t pid = 0;
  std::int64_t domain = 0;
};
/// Nothing for any other name.
[[nodiscard]] std::optional<RecordingName> recording_of_name(std::string_view name);

}  // namespace halocline::io
