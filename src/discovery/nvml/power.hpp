// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "discovery/nvml/library.hpp"
#include "discovery/power.hpp"

namespace halocline::machine::nvml {

/// The power of GPUs given by their UUIDs, from NVML's energy counters, its sensors, or its limits: the first of these
/// that a GPU has.
class Meter final : public PowerMeter {
 public:
  /// Never throws. file: the file name of NVML, for the loader.
  Meter(const char* file, const std::vector<std::string>& uuids, const Clock& clock);
  void start() override;
  void sample() override;
  [[nodiscard]] Power stop() override;

 private:
  struct Gpu {
    std::string uuid;
    Device device = nullptr;  ///< null if NVML does not see it
    bool counts = false;      ///< energy could be read at the start
    unsigned long long millijoules = 0;
    double watts = 0;  ///< the sum of the sensor's readings
    int samples = 0;
  };
  [[nodiscard]] Power power_of(const Gpu& gpu, Duration took) const;

  Library library_;
  const Clock& clock_;
  std::vector<Gpu> gpus_;
  Duration begin_{};
};

}  // namespace halocline::machine::nvml
