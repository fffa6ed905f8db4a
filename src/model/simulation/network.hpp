#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace halocline::model::simulation {

/// Flows over links that are only numbers: what a solver is asked.
struct LinkFlow {
  std::vector<int> links;  ///< positions in the list of bandwidths, sorted; each once
  std::int64_t bytes = 0;
  double latency = 0;      ///< seconds before the first byte
  std::vector<int> after;  ///< positions of flows that must have ended
};

/// When each flow ends, in seconds. The arguments fit together, and no flow waits for itself.
[[nodiscard]] std::vector<double> ends_by_max_min(std::span<const double> bandwidths, std::span<const LinkFlow> flows);

/// The same by SimGrid, in a process of its own. Throws CapabilityError where its program is not there, ResourceError where it
/// cannot be started, InternalError where it ended without a result.
[[nodiscard]] std::vector<double> ends_by_simgrid(std::span<const double> bandwidths, std::span<const LinkFlow> flows);

/// The program that ends_by_simgrid starts; empty where there is none.
[[nodiscard]] std::string simgrid_program();

}  // namespace halocline::model::simulation
