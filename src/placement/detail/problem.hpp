// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "partition/node_kinds.hpp"
#include "placement/placement.hpp"

// Converts geometry and machine to quadratic assignment problems.
namespace halocline::placement::detail {

/// The devices of a node's slots, in the order of the slots. A placement on that node depends on these only.
struct Layout {
  int type = 0;  ///< of the node, in the map
  std::vector<device_id> devices;
  friend auto operator<=>(const Layout&, const Layout&) = default;
};

/// Converts bytes and bandwidths to integers with one scale for the whole machine, so that the costs of different nodes
/// can be added. The scale is chosen so that the sum over all nodes fits 62 bits.
class ProblemMaker {
 public:
  /// layouts: the different ones. Examines the flows of one node part of each kind. The map must have passed its
  /// check(), which ensures that all devices of a node have paths.
  ProblemMaker(const partition::Geometry& geometry, const machine::MachineMap& map, std::vector<Layout> layouts);

  [[nodiscard]] const partition::NodeKinds& kinds() const { return kinds_; }
  /// flow[i][j]: from part i to part j of a node part of a kind.
  [[nodiscard]] std::vector<std::int64_t> flow(std::size_t kind) const;
  /// distance[a][b]: reciprocal bandwidth from slot a to slot b, plus latency by the mean message; a device whose own
  /// memory has no known bandwidth is at distance 0 from itself. position: among the layouts.
  [[nodiscard]] std::vector<std::int64_t> distance(std::size_t position) const;

 private:
  const partition::Geometry& geometry_;
  partition::NodeKinds kinds_;
  std::vector<Layout> layouts_;
  std::int64_t scale_ = 1;
  std::int64_t largest_flow_ = 0;
  std::vector<int> device_count_;                     ///< by node type
  std::vector<std::vector<std::int64_t>> distances_;  ///< by node type; devices x devices
};

}  // namespace halocline::placement::detail
