#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "halocline/machine/machine_map.hpp"

namespace halocline::mapping {

/// One direction of a link.
struct Channel {
  double bandwidth = 0;  ///< bytes a second
  double latency = 0;    ///< seconds
  std::string level;     ///< "network", "inter_package", "memory", "nvlink", "pcie"
  int link = -1;         ///< position in NodeType::links; -1 where it is none of them
};

/// What processes are mapped to: places (nodes, cores, devices) in a graph of links, and the way from each place to
/// each other one. Where the graph is a tree there is one way; else it is the widest one, of several the one with the
/// least latency, then the one with the fewest links: the rule of NodeType::path().
class Topology {
 public:
  struct Link {
    int a = 0;
    int b = 0;
    Channel each_way;
  };
  struct Graph {
    std::string name;  ///< for errors
    int vertices = 0;
    std::vector<int> places;   ///< place -> vertex
    std::vector<bool> is_end;  ///< by vertex: no way leads through it; may be empty
    std::vector<Link> links;
  };
  /// Throws InvalidArgument where a place cannot be reached from another one.
  explicit Topology(const Graph& graph);

  [[nodiscard]] int places() const { return static_cast<int>(places_.size()); }
  /// Link i is channel 2 i from a to b and channel 2 i + 1 back.
  [[nodiscard]] std::span<const Channel> channels() const { return channels_; }
  /// The channels from one place to another, in order; none for from == to. scratch holds them where they are not stored.
  [[nodiscard]] std::span<const int> route(int from, int to, std::vector<int>& scratch) const;
  [[nodiscard]] int hops(int from, int to) const;
  /// Sums over the route: seconds, and seconds a byte.
  [[nodiscard]] double latency(int from, int to) const;
  [[nodiscard]] double seconds_a_byte(int from, int to) const;

  [[nodiscard]] const Graph& graph() const { return graph_; }

 private:
  void climb(int from, int to, std::vector<int>& route) const;
  bool root_tree();
  void search_all();
  void store_climbs();

  Graph graph_;
  std::vector<int> places_;
  std::vector<Channel> channels_;
  // A tree: the channel from a vertex to its parent, and how deep it lies.
  std::vector<int> up_;
  std::vector<int> parent_;
  std::vector<int> depth_;
  // Stored routes, row-major; empty for large trees.
  std::vector<std::size_t> begin_;
  std::vector<int> routes_;
};

/// The cores of a node, by package, NUMA node and position, which is their logical number: memory links between packages
/// and NUMA nodes, links between packages. A core's own link is assumed to be as fast as its NUMA node's memory. Throws
/// InvalidArgument where no package has cores.
[[nodiscard]] Topology core_topology(const machine::NodeType& type);
/// The devices of a node by device_id over NVLink, PCIe and the links between packages. NICs and other devices are never
/// passed through.
[[nodiscard]] Topology device_topology(const machine::NodeType& type);
/// The nodes of a machine: one switch, and a link of Network::bandwidth from each node.
[[nodiscard]] Topology network_topology(const machine::MachineMap& map);

/// Cores of a node that core_topology() has places for.
[[nodiscard]] int core_count(const machine::NodeType& type);

}  // namespace halocline::mapping
