// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>
#include <fstream>
#include <string>

namespace halocline::bench {

/// Of the processor: what else runs on the machine counts little.
double processor_seconds(auto&& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// The most memory that this process has had so far, in MB; 0 where the system does not say.
inline double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes * 1024 / 1e6;
  }
  return 0;
}

}  // namespace halocline::bench
