#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace halocline::model::simulation {

/// Flows over links that are only numbers: what a simulator is asked.
struct LinkFlow {
  std::vector<int> links;  ///< positions in the list of bandwidths; each once
  std::int64_t bytes = 0;
  double latency = 0;      ///< seconds before the first byte
  std::vector<int> after;  ///< positions of flows that must have ended
};

/// Whether a simulator is built in.
[[nodiscard]] bool built();

/// When each flow ends, in seconds. The arguments fit together, and no flow waits for itself.
/// Throws CapabilityError without a simulator.
[[nodiscard]] std::vector<double> ends_of(std::span<const double> bandwidths, std::span<const LinkFlow> flows);

}  // namespace halocline::model::simulation
