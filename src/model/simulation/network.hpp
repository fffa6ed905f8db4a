// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
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

/// When each flow ends, in seconds. The arguments fit together, and no flow waits for itself.
[[nodiscard]] std::vector<double> ends_by_max_min(std::span<const double> bandwidths, std::span<const LinkFlow> flows);

}  // namespace halocline::model::simulation
