// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "halocline/ids.hpp"

namespace halocline::machine {

/// The rate of a network link, or of several links used as one, in each direction.
struct LinkRate {
  double bandwidth = 0;  ///< bytes a second
  double latency = 0;    ///< seconds
  friend bool operator==(const LinkRate&, const LinkRate&) = default;
};

/// One switch that is never the bottleneck: only the ports of the nodes limit the rate.
struct Crossbar {
  friend bool operator==(const Crossbar&, const Crossbar&) = default;
};

/// One level of a fat tree, of identical switches.
struct FatTreeLevel {
  int children = 1;  ///< nodes below a switch of level 0, switches of the level below otherwise
  LinkRate uplinks;  ///< bandwidth: the sum over all uplinks of one switch
  friend bool operator==(const FatTreeLevel&, const FatTreeLevel&) = default;
};
/// Nodes fill the switches in the order of their ports. The switches of the last level meet in a core that is never the bottleneck. Routing
/// is adaptive: traffic is shared evenly between the uplinks of a switch, so that they count as one.
struct FatTree {
  std::vector<FatTreeLevel> levels;  ///< from the nodes up
  friend bool operator==(const FatTree&, const FatTree&) = default;
};

/// Nodes fill the routers in order, routers the groups. Between the routers of a group there is a link for each pair. Each
/// pair of groups has links_per_pair links; a group assigns them, ordered by the peer's number, to its routers in
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
/// order of dimensions; if both ways are equally long, in the direction of increasing numbers.
struct Torus {
  int nodes_per_router = 1;
  std::vector<TorusDimension> dimensions;
  friend bool operator==(const Torus&, const Torus&) = default;
};

/// The network between the ports of the nodes.
struct Fabric {
  using Shape = std::variant<Crossbar, FatTree, Dragonfly, Torus>;

  /// Identical networks without connections between them. Network card k of each node, in the order of vertices, is on
  /// rail k modulo rails, and each rail has its share of the node's bandwidth.
  int rails = 1;
  Shape shape;
  friend bool operator==(const Fabric&, const Fabric&) = default;
};

/// The kind of a vertex in a node's graph.
enum class VertexKind : int { package, numa, device, nic, pci_switch, link_switch };
/// What connects two vertices.
enum class LinkKind : int { memory, inter_package, pcie, nvlink, network };

struct Vertex {
  VertexKind kind = VertexKind::package;
  std::string name;               ///< for people: "package 0", "NVIDIA H200", "mlx5_0"
  std::int64_t memory_bytes = 0;  ///< NUMA nodes and devices; 0 where unknown
  int cores = 0;                  ///< packages and NUMA nodes; 0 otherwise
  /// For devices: devices of a node with the same number (0 or more) can load and store each other's memory.
  int load_store_domain = -1;
  friend bool operator==(const Vertex&, const Vertex&) = default;
};

/// Between two vertices of a node; the rates hold for each direction. A memory link of a device to itself
/// stands for the device's own memory.
struct Link {
  int a = 0;  ///< index in NodeType::vertices
  int b = 0;
  LinkKind kind = LinkKind::pcie;
  double bandwidth = 0;  ///< bytes a second, one direction
  double latency = 0;    ///< seconds
  friend bool operator==(const Link&, const Link&) = default;
};

/// Concurrent transfers while a rate was measured.
enum class Traffic : int {
  one_way,   ///< none
  two_way,   ///< the same in the opposite direction; both started together
  all_pairs  ///< the same between all pairs of the node; all started together
};

/// A measured rate between two devices of a node, or a device and the host's memory. src/measure/measure.hpp
/// lists the methods. One-way rates of method "copy" count instead of the links.
struct Measurement {
  static constexpr int host = -1;  ///< as `from` or `to`: the host's memory

  int from = 0;  ///< device_id values, or host (at most one of the two)
  int to = 0;
  std::string method;
  /// Bytes a second of this direction alone; from a device to itself: bytes read plus bytes written.
  double bandwidth = 0;
  double latency = 0;  ///< seconds that the smallest message takes
  Traffic traffic = Traffic::one_way;
  int numa = -1;           ///< the vertex of the NUMA node that the host's memory is on; -1 where not known, or no host
  std::int64_t bytes = 0;  ///< of each message that the bandwidth was measured with; 0 where unknown
  friend bool operator==(const Measurement&, const Measurement&) = default;
};

/// Where an exchange copies cells to: a halo of the same device, or another device of the node.
enum class HaloPath : int { local, link };
/// How the cells are copied: in long rows; in short rows, which count as whole sectors of memory; in short rows that are packed
/// by the sender and unpacked by the receiver; or as LL packets, for rows of any length (src/core/packets.hpp).
enum class HaloRows : int { long_rows, short_rows, packed_rows, packets };

/// The rate of exchanges whose time is determined by one kind of cells, measured back to back with all devices of the node active;
/// see src/model/predict.hpp.
struct ExchangeRate {
  /// Counted bytes: for short rows whole sectors of this size, for packets their bytes on the link, otherwise the cells' bytes.
  static constexpr std::int64_t sector_bytes = 32;

  HaloPath path = HaloPath::local;
  HaloRows rows = HaloRows::long_rows;
  bool concurrent = false;  ///< measured while each device also copies on the other path
  int word_bytes =
      16;  ///< bytes of the widest access that addresses and lengths of the rows allow: 1, 2, 4, 8 or 16; of packets
           ///< 16 for long rows, 4 for short ones
  double bandwidth = 0;  ///< bytes a second of one device
  double latency = 0;    ///< seconds in addition to the time of the bytes
  double least = 0;      ///< seconds of an exchange of almost no bytes
  friend bool operator==(const ExchangeRate&, const ExchangeRate&) = default;
};

/// One kind of node. Machines with thousands of nodes have few kinds.
struct NodeType {
  std::string name;
  std::vector<Vertex> vertices;
  std::vector<Link> links;
  std::vector<Measurement> measurements;
  std::vector<ExchangeRate> exchange_rates;  ///< empty where not measured

  /// The vertices that are devices, in order: device_id d is vertex device_vertices()[d].
  [[nodiscard]] std::vector<int> device_vertices() const;
  [[nodiscard]] int device_count() const;
  /// Of the packages.
  [[nodiscard]] std::int64_t core_count() const;
  friend bool operator==(const NodeType&, const NodeType&) = default;
};

/// One node of the machine.
struct NodeEntry {
  std::string name;
  int type = 0;  ///< index in MachineMap::types
  /// By device_id, the same for every process that sees the device; empty if unknown. Not in
  /// NodeType, so that identical nodes can share one.
  std::vector<std::string> device_uuids;
  /// Nodes with one number (0 or more) are joined by load/store links (NVLink across a rack).
  int rack = -1;
  /// Place in the fabric, whose switches have places from 0 on, in order; -1: the node's position in MachineMap::nodes. Where one node has a port, all
  /// have, each its own; then switches may have places without a node.
  int port = -1;
  friend bool operator==(const NodeEntry&, const NodeEntry&) = default;
};

/// One rank: where it runs and which devices it drives. Ranks may share a device.
struct RankEntry {
  node_id node;
  std::vector<device_id> devices;  ///< within the node, in the rank's own order
  friend bool operator==(const RankEntry&, const RankEntry&) = default;
};

/// How nodes are connected; per node and direction.
struct Network {
  double bandwidth = 12.5e9;  ///< bytes a second, all rails together
  double latency = 2e-6;      ///< seconds, between nodes on one switch
  Fabric fabric{};            ///< what lies between the nodes' ports
  friend bool operator==(const Network&, const Network&) = default;
};

/// Limits by software: the rates of one rank's MPI, and what is serialised. The defaults limit nothing.
struct Software {
  double mpi_copy = 0;  ///< bytes a second that a rank copies for MPI in its node's memory, in and out together; 0: any
  double mpi_injection = 0;       ///< bytes a second that a rank sends, or receives, over the network; 0: any
  double mpi_latency = 0;         ///< seconds for each message
  double mpi_device_latency = 0;  ///< seconds for each message from and to device memory, besides mpi_latency
  double mpi_overhead = 0;        ///< seconds of a rank's core for each message, at either end
  double device_launch = 0;       ///< seconds of a rank's core for each kernel or copy that it hands to a device
  /// mpi_copy and mpi_injection are time of the rank's one core, so that its transfers are serialised.
  bool one_core = false;
  /// A rank's messages from device memory are sent one after another, as by an MPI that uses one stream for all.
  bool mpi_serialises_streams = false;
  /// A device's copies to other devices run one after another.
  bool serial_copies = false;
  friend bool operator==(const Software&, const Software&) = default;
};

/// A machine as a value: the input of planning, for the machine at hand or for another one.
struct MachineMap {
  std::string name;
  std::vector<NodeType> types;
  std::vector<NodeEntry> nodes;
  std::vector<RankEntry> ranks;  ///< index is rank_id; may be empty for a machine without a job
  Network network;
  Software software;
  std::vector<std::string> sources;  ///< where the numbers come from, for people

  /// Places that the fabric has at least: one more than the largest port.
  [[nodiscard]] std::int64_t port_count() const;
  /// Throws InvalidArgument where there is no such node.
  [[nodiscard]] const NodeType& type_of(node_id node) const;
  [[nodiscard]] int devices_of(node_id node) const;
  /// Devices of all nodes.
  [[nodiscard]] std::int64_t device_count() const;
  /// Whether two devices can load and store each other's memory: one load/store domain of one node, or of
  /// two nodes of one rack.
  [[nodiscard]] bool share_load_store(node_id node_a, device_id a, node_id node_b, device_id b) const;
  /// NodeEntry::device_uuids of a device; empty if unknown.
  [[nodiscard]] std::string uuid_of(node_id node, device_id device) const;
  /// Throws InvalidArgument that names the first entry that does not fit together
  /// ("types[0].links[3].bandwidth is 0; allowed is a finite number above 0").
  void check() const;

  friend bool operator==(const MachineMap&, const MachineMap&) = default;
};

}  // namespace halocline::machine
