// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "device/backend.hpp"

namespace halocline::machine {

/// How the power of devices became known, the worse first.
enum class PowerSource : int {
  none,     ///< not at all
  rated,    ///< the limit that the driver holds them to: what they draw is at most that
  sampled,  ///< the mean of the sensor's readings
  counted,  ///< from counters of energy at both ends
};
[[nodiscard]] std::string_view to_string(PowerSource source);

/// What devices draw together.
struct Power {
  double watts = 0;  ///< 0 with PowerSource::none
  PowerSource source = PowerSource::none;
  std::string why_not;  ///< why the source is not the best one; empty where it is
};
/// Of both together: nothing where either is not known, and the worse source of the two.
[[nodiscard]] Power sum(const Power& a, const Power& b);

/// Measures what this process's devices draw on average from start() to stop(). Nothing throws for what cannot be read.
class PowerMeter {
 public:
  /// Counters and sensors are renewed ten times a second or less often, so that of shorter stretches only rated power is told.
  static constexpr Duration least = std::chrono::milliseconds(500);

  virtual ~PowerMeter() = default;
  virtual void start() = 0;
  /// Reads the sensors; to be called every now and then in between, by what has no counters.
  virtual void sample() = 0;
  [[nodiscard]] virtual Power stop() = 0;
};

/// By NVML for GPUs; of host devices nothing is known. The clock outlives the meter.
[[nodiscard]] std::unique_ptr<PowerMeter> make_power_meter(const device::Backend& backend,
                                                           const Clock& clock = Clock::steady());

}  // namespace halocline::machine
