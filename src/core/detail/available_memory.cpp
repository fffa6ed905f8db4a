// SPDX-License-Identifier: BSD-3-Clause
#include "core/detail/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace halocline {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t system_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes && std::getline(file, unit)) {
    if (key == "MemAvailable:") return kibibytes * 1024;
  }
  return unlimited;
}

std::uint64_t read_number(const std::string& path, std::uint64_t fallback) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : fallback;  // "max" is no number
}

/// Control groups, version 2. A container sees its own group as the root.
std::uint64_t group_memory() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  std::uint64_t least = unlimited;
  while (std::getline(file, line)) {
    if (line.rfind("0::", 0) != 0) continue;
    const std::string folder = "/sys/fs/cgroup" + line.substr(3);
    const std::uint64_t most = read_number(folder + "/memory.max", unlimited);
    const std::uint64_t used = read_number(folder + "/memory.current", 0);
    if (most != unlimited) least = std::min(least, most > used ? most - used : 0);
  }
  return least;
}

}  // namespace

std::uint64_t available_memory() { return std::min(system_memory(), group_memory()); }

}  // namespace halocline
