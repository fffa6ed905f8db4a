#pragma once

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "halocline/core/error.hpp"
#include "halocline/machine/machine_map.hpp"

// What the checks of a machine map share. Entries are named as the JSON document names them, so that a message fits both.
namespace halocline::machine {

template <typename Value>
[[noreturn]] void refuse(const std::string& path, const Value& value, const std::string& allowed) {
  throw InvalidArgument(fmt::format("{} is {}; allowed is {}", path, value, allowed));
}

inline void check_rates(const std::string& path, double bandwidth, double latency) {
  if (!std::isfinite(bandwidth) || bandwidth <= 0) {
    refuse(path + ".bandwidth", bandwidth, "a finite number above 0");
  }
  if (!std::isfinite(latency) || latency < 0) refuse(path + ".latency", latency, "a finite number, 0 or more");
}

/// The network, of a map whose types and nodes have been checked.
void check_network(const MachineMap& map);

void check_software(const Software& software);

}  // namespace halocline::machine
