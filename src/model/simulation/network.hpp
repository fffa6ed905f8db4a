#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace halocline::model::simulation {

/// Flows over links that are only numbers: what a solver is asked.
struct LinkFlow {
  std::vector<int> links;  ///< positions in the list of bandwidths, sorted; each once
  std::int64_t bytes = 0;
  double latency = 0;             ///< seconds before the first byte
  std::vector<int> after;         ///< positions of flows that must have ended
  std::vector<double> weights{};  ///< what a byte takes of each of the links; empty: 1 of each

  [[nodiscard]] double weight(std::size_t link) const { return weights.empty() ? 1 : weights[link]; }
};

/// What the busiest link needs for its flows alone; 0 where there is no link.
[[nodiscard]] inline double busiest_seconds(std::span<const double> bandwidths, std::span<const LinkFlow> flows) {
  std::vector<double> busy(bandwidths.size());
  for (const LinkFlow& flow : flows) {
    for (std::size_t l = 0; l < flow.links.size(); ++l) {
      const auto link = static_cast<std::size_t>(flow.links[l]);
      busy[link] += flow.weight(l) * static_cast<double>(flow.bytes) / bandwidths[link];
    }
  }
  return busy.empty() ? 0 : *std::ranges::max_element(busy);
}

/// When each flow ends, in seconds. The arguments fit together, and no flow waits for itself.
[[nodiscard]] std::vector<double> ends_by_max_min(std::span<const double> bandwidths, std::span<const LinkFlow> flows);

/// The same by SimGrid, in a process of its own. Throws CapabilityError where its program is not there, ResourceError where it
/// cannot be started or cannot say what a flow takes, InternalError where it ended without a result.
[[nodiscard]] std::vector<double> ends_by_simgrid(std::span<const double> bandwidths, std::span<const LinkFlow> flows);

/// The program that ends_by_simgrid starts; empty where there is none.
[[nodiscard]] std::string simgrid_program();

}  // namespace halocline::model::simulation
