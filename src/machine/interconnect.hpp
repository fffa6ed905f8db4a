// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "halocline/ids.hpp"
#include "machine/machine_map.hpp"

namespace halocline::machine {

/// A vertex of a node.
struct Place {
  node_id node;
  int vertex = 0;  ///< index in NodeType::vertices
  friend bool operator==(const Place&, const Place&) = default;
};

/// One direction of a link: what messages occupy and share with other messages.
struct Channel {
  LinkKind kind = LinkKind::network;
  double bandwidth = 0;  ///< bytes a second
  double latency = 0;    ///< seconds
  friend bool operator==(const Channel&, const Channel&) = default;
};

/// All links of a machine, within its nodes and in its network, and the one path between any two places. Each direction
/// of a link is a channel; channels have ids from 0 on. The value is cheap to copy: it stores the facts about each kind
/// of node and a few words for each node, and computes the rest.
///
/// - Within a node: the path of NodeType::link_path; if several are equally good, one with the fewest links.
/// - Within one device: its widest memory link, one channel that counts bytes read plus written. Within one NUMA node: its
///   memory link, out and in. Elsewhere a place reaches itself over nothing.
/// - Between nodes: to a network card of the sender's node, over that card's rail, from a card of the receiver's node on the
///   same rail. The card is the one with the widest path to the place; among equals, those with the fewest links, dealt out
///   in turn to the vertices of a kind. Where a node type has no cards, its packages take their place.
/// - The two ports of nodes on one switch together have the latency of Network, half each.
/// - Devices that share a load/store domain across the nodes of one rack, and have links to the same link switch by its
///   number among the link switches of their nodes: over these two links, as that switch is one for the whole rack.
class Interconnect {
 public:
  /// Throws InvalidArgument if map.check() does.
  explicit Interconnect(const MachineMap& map);

  [[nodiscard]] std::int64_t channel_count() const;
  /// Throws InvalidArgument if the channel does not exist; name does the same.
  [[nodiscard]] Channel channel(std::int64_t id) const;
  /// A text for users: "summit-3: Tesla V100-SXM2-16GB 4 -> POWER9 1", "fabric level 0 switch 7 up".
  [[nodiscard]] std::string name(std::int64_t id) const;

  /// Throws InvalidArgument if the node or device does not exist.
  [[nodiscard]] Place device(node_id node, device_id device) const;

  /// Appends the channels that a message passes, in order, to `path`. Throws InvalidArgument if a place or a path does
  /// not exist. Takes less than a microsecond.
  void route(const Place& from, const Place& to, std::vector<std::int64_t>& path) const;

  /// The network alone. Its channels follow the channels within nodes in the numbering, rail by rail, in the same order
  /// for each rail.
  [[nodiscard]] std::int64_t first_network_channel() const;
  [[nodiscard]] std::int64_t channels_of_rail() const;
  [[nodiscard]] int rails() const;
  /// Appends the channels from the port of one node to the port of another on a rail, both ports included; appends none
  /// if from == to. Throws InvalidArgument if the node or rail does not exist.
  void network_route(node_id from, node_id to, int rail, std::vector<std::int64_t>& path) const;
  /// A rail as a graph: its vertices are the nodes, then the switches or routers between them.
  [[nodiscard]] std::int64_t network_vertices() const;
  struct Ends {
    std::int64_t from = 0;
    std::int64_t to = 0;
    friend bool operator==(const Ends&, const Ends&) = default;
  };
  /// For a channel of the network. Throws InvalidArgument for any other channel.
  [[nodiscard]] Ends network_ends(std::int64_t id) const;

  /// The link of a node, and its direction, that a channel stands for.
  struct NodeLink {
    node_id node;
    int link = 0;         ///< position in NodeType::links
    bool forward = true;  ///< from Link::a to Link::b
  };
  /// Throws InvalidArgument for a channel of the network.
  [[nodiscard]] NodeLink node_link(std::int64_t id) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace halocline::machine
