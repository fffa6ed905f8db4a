// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "machine/machine_map.hpp"

namespace halocline::machine {

struct Path {
  double bandwidth = 0;  ///< bytes a second, one direction
  double latency = 0;    ///< seconds
  friend bool operator==(const Path&, const Path&) = default;
};

/// Between two devices of a node: among the paths with the widest bottleneck link the one with the smallest sum of
/// latencies; its bandwidth is the bottleneck's. Paths do not go through other devices or NICs. A one-way
/// measurement of method "copy" replaces the path. Bandwidth 0 if there is no path.
/// from == to: the device's widest memory link; infinite bandwidth and no latency if it has none.
[[nodiscard]] Path best_path(const NodeType& type, device_id from, device_id to);
/// All pairs at once, row-major, n x n for n devices.
[[nodiscard]] std::vector<Path> best_paths(const NodeType& type);
/// By links only, between any two vertices (positions in `vertices`); infinite bandwidth, no latency for a == b.
[[nodiscard]] Path link_path(const NodeType& type, int a, int b);

/// The measurement of a method, or null. numa: -1 for any.
[[nodiscard]] const Measurement* find_measurement(const NodeType& type, int from, int to, std::string_view method,
                                                  Traffic traffic, int numa = -1);

}  // namespace halocline::machine
