// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "machine/interconnect.hpp"
#include "machine/machine_map.hpp"

namespace halocline::mapping {

/// What processes are mapped to: places (nodes, cores, devices), channels, and the way from each place to each other one.
class Topology {
 public:
  struct Link {
    int a = 0;
    int b = 0;
    machine::Channel each_way;
    int of_type = -1;  ///< position in NodeType::links; -1 where it is none of them
  };
  struct Graph {
    std::string name;  ///< for errors
    int vertices = 0;
    std::vector<int> places;   ///< place -> vertex
    std::vector<bool> is_end;  ///< by vertex: no way leads through it; may be empty
    std::vector<Link> links;
  };
  /// Finds the ways by machine::PathSearch. Link i is channel 2 i from a to b and channel 2 i + 1 back. Throws
  /// InvalidArgument where a place cannot be reached from another one.
  explicit Topology(const Graph& graph);

  /// Appends the channels from one place to another one; nothing for from == to.
  using Router = std::function<void(int from, int to, std::vector<int>& route)>;
  /// Channels and ways as somebody else has them; the graph is for those who partition by it.
  Topology(Graph graph, std::vector<machine::Channel> channels, Router router);

  [[nodiscard]] int places() const { return static_cast<int>(graph_.places.size()); }
  [[nodiscard]] std::span<const machine::Channel> channels() const { return channels_; }
  /// The channels from one place to another, in order; none for from == to. scratch holds them where they are not stored.
  [[nodiscard]] std::span<const int> route(int from, int to, std::vector<int>& scratch) const {
    if (begin_.empty()) return computed(from, to, scratch);
    const std::size_t pair = static_cast<std::size_t>(from) * graph_.places.size() + static_cast<std::size_t>(to);
    return {routes_.data() + begin_[pair], begin_[pair + 1] - begin_[pair]};
  }
  [[nodiscard]] int hops(int from, int to) const;
  /// Sums over the route: seconds, and seconds a byte.
  [[nodiscard]] double seconds_a_byte(int from, int to) const;

  [[nodiscard]] const Graph& graph() const { return graph_; }

 private:
  void store(const Router& router);
  [[nodiscard]] std::span<const int> computed(int from, int to, std::vector<int>& scratch) const;

  Graph graph_;
  std::vector<machine::Channel> channels_;
  Router router_;  ///< where routes are not stored
  // Stored routes, row-major; inline above, as looking one up is what mappers do most.
  std::vector<std::size_t> begin_;
  std::vector<int> routes_;
};

/// The cores of a node, by package, NUMA node and position, which is their logical number: memory links between packages
/// and NUMA nodes, links between packages. A core's own link is assumed to be as fast as its NUMA node's memory. What cores
/// of one NUMA node send each other takes its memory link, out and in, as Interconnect has it. Throws InvalidArgument where
/// no package has cores.
[[nodiscard]] Topology core_topology(const machine::NodeType& type);
/// The devices of a node by device_id over NVLink, PCIe and the links between packages. NICs and other devices are never
/// passed through.
[[nodiscard]] Topology device_topology(const machine::NodeType& type);
/// The nodes of a machine and the channels between their ports, whatever the fabric, by Interconnect's routes. Several
/// rails count as one that is as fast as all of them: which one a message takes depends on who sends it within the node.
[[nodiscard]] Topology network_topology(const machine::Interconnect& interconnect, int nodes);
[[nodiscard]] Topology network_topology(const machine::MachineMap& map);

/// The vertex that each core of core_topology() hangs on: a NUMA node, or a package.
[[nodiscard]] std::vector<int> core_vertices(const machine::NodeType& type);

}  // namespace halocline::mapping
