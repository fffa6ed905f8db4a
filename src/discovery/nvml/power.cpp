// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/nvml/power.hpp"

#include <fmt/core.h>

namespace halocline::machine::nvml {

Meter::Meter(const char* file, const std::vector<std::string>& uuids, const Clock& clock)
    : library_(file), clock_(clock) {
  for (const std::string& uuid : uuids) {
    Gpu gpu;
    gpu.uuid = uuid;
    const bool seen = library_.usable() && library_.handle_by_uuid != nullptr &&
                      library_.handle_by_uuid(uuid.c_str(), &gpu.device) == success;
    if (!seen) gpu.device = nullptr;
    gpus_.push_back(std::move(gpu));
  }
}

void Meter::start() {
  for (Gpu& gpu : gpus_) {
    gpu.watts = 0;
    gpu.samples = 0;
    gpu.counts = gpu.device != nullptr && library_.total_energy != nullptr &&
                 library_.total_energy(gpu.device, &gpu.millijoules) == success;
  }
  begin_ = clock_.now();
  sample();
}

void Meter::sample() {
  for (Gpu& gpu : gpus_) {
    unsigned milliwatts = 0;
    if (gpu.counts || gpu.device == nullptr || library_.power_usage == nullptr) continue;
    if (library_.power_usage(gpu.device, &milliwatts) != success) continue;
    gpu.watts += milliwatts * 1e-3;
    ++gpu.samples;
  }
}

Power Meter::power_of(const Gpu& gpu, Duration took) const {
  if (!library_.usable()) return {0, PowerSource::none, library_.why_not()};
  if (gpu.device == nullptr) return {0, PowerSource::none, fmt::format("NVML does not see GPU {}", gpu.uuid)};
  const double seconds = std::chrono::duration<double>(took).count();
  const bool too_short = took < least;
  if (gpu.counts && !too_short) {
    unsigned long long now = 0;
    // A driver that was loaded again counts from 0.
    if (library_.total_energy(gpu.device, &now) == success && now >= gpu.millijoules) {
      return {static_cast<double>(now - gpu.millijoules) * 1e-3 / seconds, PowerSource::counted, {}};
    }
  }
  if (gpu.samples > 0 && !too_short) {
    return {gpu.watts / gpu.samples, PowerSource::sampled, fmt::format("GPU {} does not count its energy", gpu.uuid)};
  }
  const std::string why = too_short ? fmt::format("{:.3g} s are too short for NVML's counters; {:.3g} s are needed",
                                                  seconds, std::chrono::duration<double>(least).count())
                                    : fmt::format("GPU {} tells neither energy nor power", gpu.uuid);
  unsigned milliwatts = 0;
  if (library_.power_limit != nullptr && library_.power_limit(gpu.device, &milliwatts) == success && milliwatts > 0) {
    return {milliwatts * 1e-3, PowerSource::rated, why};
  }
  return {0, PowerSource::none, why};
}

Power Meter::stop() {
  const Duration took = clock_.now() - begin_;
  sample();
  if (gpus_.empty()) return {0, PowerSource::none, "there are no GPUs"};
  Power all{0, PowerSource::counted, {}};
  for (const Gpu& gpu : gpus_) all = sum(all, power_of(gpu, took));
  return all;
}

}  // namespace halocline::machine::nvml
