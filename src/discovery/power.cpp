// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/power.hpp"

#include <algorithm>
#include <vector>

#include "discovery/nvml/power.hpp"

namespace halocline::machine {
namespace {

class NoMeter final : public PowerMeter {
 public:
  void start() override {}
  void sample() override {}
  [[nodiscard]] Power stop() override { return {0, PowerSource::none, "host devices have no meter"}; }
};

}  // namespace

std::string_view to_string(PowerSource source) {
  switch (source) {
    case PowerSource::none: return "none";
    case PowerSource::rated: return "rated";
    case PowerSource::sampled: return "sampled";
    case PowerSource::counted: break;
  }
  return "counted";
}

Power sum(const Power& a, const Power& b) {
  const Power& worse = b.source < a.source ? b : a;
  const double watts = worse.source == PowerSource::none ? 0 : a.watts + b.watts;
  return {watts, worse.source, worse.why_not};
}

std::unique_ptr<PowerMeter> make_power_meter(const device::Backend& backend, const Clock& clock) {
  if (backend.kind() == DeviceKind::host) return std::make_unique<NoMeter>();
  std::vector<std::string> uuids;
  for (int d = 0; d < backend.device_count(); ++d) uuids.push_back(backend.info(d).uuid);
  return std::make_unique<nvml::Meter>("libnvidia-ml.so.1", uuids, clock);
}

}  // namespace halocline::machine
