#pragma once

#include <string_view>
#include <variant>
#include <vector>

namespace halocline::machine {

/// How fast a link of the network is, or several links that are used as one; for each direction.
struct LinkRate {
  double bandwidth = 0;  ///< bytes a second
  double latency = 0;    ///< seconds
  friend bool operator==(const LinkRate&, const LinkRate&) = default;
};

/// One switch that is never the bottleneck: only the ports of the nodes limit.
struct Crossbar {
  friend bool operator==(const Crossbar&, const Crossbar&) = default;
};

/// Alike switches of a fat tree.
struct FatTreeLevel {
  int children = 1;  ///< nodes below a switch of level 0, switches of the level below otherwise
  LinkRate uplinks;  ///< the bandwidth is that of all uplinks of one switch together
  friend bool operator==(const FatTreeLevel&, const FatTreeLevel&) = default;
};
/// Nodes fill the switches in order. The switches of the last level meet in a core that is never the bottleneck. Routing
/// is adaptive: traffic is shared evenly between the uplinks of a switch, so that they count as one.
struct FatTree {
  std::vector<FatTreeLevel> levels;  ///< from the nodes up
  friend bool operator==(const FatTree&, const FatTree&) = default;
};

/// Nodes fill the routers in order, routers the groups. Between the routers of a group there is a link for each pair. Each
/// pair of groups has links_per_pair links; those of a group, ordered by the peer's number, are dealt out to its routers in
/// turn. Routing is minimal: one link between groups, and one within a group at most on either side of it.
struct Dragonfly {
  int nodes_per_router = 1;
  int routers_per_group = 1;
  int groups = 1;
  int links_per_pair = 1;
  LinkRate local;   ///< between two routers of a group
  LinkRate global;  ///< one link between two groups
  friend bool operator==(const Dragonfly&, const Dragonfly&) = default;
};

/// One dimension of a torus.
struct TorusDimension {
  int length = 1;  ///< routers
  LinkRate link;   ///< between neighbours
  friend bool operator==(const TorusDimension&, const TorusDimension&) = default;
};
/// Nodes fill the routers in order, the first dimension fastest. Routing goes the shorter way in each dimension, in the
/// order of dimensions; where both ways are as long, in the direction of rising numbers.
struct Torus {
  int nodes_per_router = 1;
  std::vector<TorusDimension> dimensions;
  friend bool operator==(const Torus&, const Torus&) = default;
};

/// What lies between the ports of nodes.
struct Fabric {
  using Shape = std::variant<Crossbar, FatTree, Dragonfly, Torus>;

  /// Networks beside each other, alike and not connected. Network card k of each node, in the order of vertices, is on
  /// rail k modulo rails, and each rail has its share of the node's bandwidth.
  int rails = 1;
  Shape shape;
  friend bool operator==(const Fabric&, const Fabric&) = default;
};
/// "crossbar", "fat_tree", "dragonfly", "torus"
[[nodiscard]] std::string_view name_of(const Fabric::Shape& shape);

}  // namespace halocline::machine
