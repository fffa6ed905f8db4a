// SPDX-License-Identifier: BSD-3-Clause
#include "model/step.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "halocline/error.hpp"

namespace halocline::model {
namespace {

void check(std::string_view name, double value, double most = std::numeric_limits<double>::max()) {
  if (!(value >= 0 && value <= most)) {
    throw InvalidArgument(fmt::format("step: {} is {}; allowed is a finite number from 0 to {:g}", name, value, most));
  }
}

}  // namespace

double seconds_per_update(const KernelCost& cost, const DeviceRates& rates) {
  check("bytes a cell", cost.bytes);
  check("operations a cell", cost.flops);
  check("memory bandwidth", rates.memory_bandwidth);
  check("operations a second", rates.flops);
  const double memory = rates.memory_bandwidth > 0 ? cost.bytes / rates.memory_bandwidth : 0;
  const double arithmetic = rates.flops > 0 ? cost.flops / rates.flops : 0;
  const double seconds = std::max(memory, arithmetic);
  if (!(seconds > 0)) {
    throw InvalidArgument(
        fmt::format("step: {} bytes a cell at {} bytes a second and {} operations a cell at {} a second; allowed is a "
                    "pair of numbers above 0",
                    cost.bytes, rates.memory_bandwidth, cost.flops, rates.flops));
  }
  return seconds;
}

StepTimes step_times(const StepParts& parts) {
  check("the work", parts.work);
  check("the share of outer cells", parts.outer_share, 1);
  check("the exchange", parts.exchange);
  check("the serial part", parts.serial);
  const double outer = parts.work * parts.outer_share;
  return {std::max(parts.work, parts.exchange) + parts.serial,
          std::max(parts.work - outer, parts.exchange) + outer + parts.serial,
          parts.work + parts.exchange + parts.serial};
}

double outer_share(const Vec3& box, const Vec3& lower, const Vec3& upper) {
  double inner = 1;
  for (int i = 0; i < 3; ++i) {
    if (box[i] < 1) return 1;
    inner *= static_cast<double>(std::max<std::int64_t>(0, box[i] - lower[i] - upper[i])) / static_cast<double>(box[i]);
  }
  return 1 - inner;
}

}  // namespace halocline::model
