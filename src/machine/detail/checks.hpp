// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <utility>

#include "core/limits.hpp"
#include "core/printable.hpp"
#include "core/utf8.hpp"
#include "halocline/error.hpp"
#include "machine/machine_map.hpp"

// Shared by the checks of a machine map. Entries have the names of the JSON document, so that an error message fits
// both.
namespace halocline::machine {

template <typename Value>
[[noreturn]] void refuse(const std::string& path, const Value& value, const std::string& allowed) {
  throw InvalidArgument(fmt::format("{} is {}; allowed is {}", path, value, allowed));
}

template <typename Count>
void check_at_most(const std::string& path, Count count, const char* of_what, std::int64_t most) {
  if (std::cmp_greater(count, most))
    refuse(path, fmt::format("{} {}", count, of_what), fmt::format("at most {}", most));
}

/// Other text could not be written as JSON and read again.
inline void check_text(const std::string& path, const std::string& text) {
  if (find_no_utf8(text) == std::string::npos && text.find('\0') == std::string::npos) return;
  refuse(path, fmt::format("'{}'", printable(text, 100)), "UTF-8 text without NUL characters");
}

inline void check_name(const std::string& path, const std::string& name) {
  check_at_most(path, name.size(), "bytes long", limits::name_bytes);
  check_text(path, name);
}

inline void check_bandwidth(const std::string& path, double bandwidth) {
  if (bandwidth > 0 && bandwidth <= limits::bandwidth) return;
  refuse(path, bandwidth, fmt::format("a finite number above 0, at most {}", limits::bandwidth));
}

inline void check_from_0(const std::string& path, double value, double most) {
  if (value >= 0 && value <= most) return;
  refuse(path, value, fmt::format("a finite number, 0 or more, at most {}", most));
}

inline void check_rates(const std::string& path, double bandwidth, double latency) {
  check_bandwidth(path + ".bandwidth", bandwidth);
  check_from_0(path + ".latency", latency, limits::latency);
}

/// Checks the network of a map whose types and nodes have been checked.
void check_network(const MachineMap& map);

void check_software(const Software& software);

}  // namespace halocline::machine
