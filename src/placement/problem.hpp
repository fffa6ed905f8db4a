#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halocline/placement/placement.hpp"

// From geometry and machine to quadratic assignment problems.
namespace halocline::placement::detail {

/// The devices of a node's slots, in their order: what a placement on that node depends on.
struct Layout {
  int type = 0;  ///< of the node, in the map
  std::vector<device_id> devices;
  friend auto operator<=>(const Layout&, const Layout&) = default;
};

/// Turns bytes and bandwidths into integers with one scale for the whole machine, so that the costs of
/// different nodes can be added. The scale is such that the sum over all nodes fits 62 bits.
class ProblemMaker {
 public:
  /// layouts: of the nodes, in the order of node parts. Looks at the flows of all subdomains once. The map
  /// has passed its check(), so that all devices of a node have paths.
  ProblemMaker(const partition::Geometry& geometry, const machine::MachineMap& map, std::span<const Layout> layouts);

  /// flow[i][j]: from part i to part j of a node part.
  [[nodiscard]] std::vector<std::int64_t> flow(std::int64_t node_part) const;
  /// distance[a][b]: reciprocal bandwidth from slot a to slot b, plus latency by the mean message; a device whose own
  /// memory has no known bandwidth is at distance 0 from itself.
  [[nodiscard]] std::vector<std::int64_t> distance(const Layout& layout) const;

 private:
  const partition::Geometry& geometry_;
  std::int64_t scale_ = 1;
  std::int64_t largest_flow_ = 0;
  std::vector<int> device_count_;                     ///< by node type
  std::vector<std::vector<std::int64_t>> distances_;  ///< by node type; devices x devices
};

}  // namespace halocline::placement::detail
