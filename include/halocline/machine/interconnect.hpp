#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "halocline/core/ids.hpp"
#include "halocline/machine/machine_map.hpp"

namespace halocline::machine {

/// A vertex of a node.
struct Place {
  node_id node;
  int vertex = 0;  ///< index in NodeType::vertices
  friend bool operator==(const Place&, const Place&) = default;
};

/// One direction of a link: what bytes occupy, and share with others.
struct Channel {
  LinkKind kind = LinkKind::network;
  double bandwidth = 0;  ///< bytes a second
  double latency = 0;    ///< seconds
  friend bool operator==(const Channel&, const Channel&) = default;
};

/// All links of a machine, those of its nodes and those of its network, and the one path that bytes take between any two
/// places. Each direction of a link is a channel; channels have ids from 0 on. A value that is cheap to copy: it holds
/// what is known of each kind of node and a few words a node, and computes the rest.
///
/// - Within a node: the path of NodeType::link_path; where several are as good, one with the fewest links.
/// - Within one device: its widest memory link, one channel that counts bytes read plus written. Within one NUMA node: its
///   memory link, out and in. Elsewhere a place reaches itself over nothing.
/// - Between nodes: to a network card of the sender's node, over that card's rail, from a card of the receiver's node on the
///   same rail. The card is the one with the widest path to the place; among equals, those with the fewest links, dealt out
///   in turn to the vertices of a kind. Where a node type has no cards, its packages take their place.
/// - The two ports of nodes on one switch have the latency of Network together, half each.
/// - Devices that share a load/store domain across the nodes of one rack, and have links to the same link switch by its
///   number among the link switches of their nodes: over these two links, as that switch is one for the whole rack.
class Interconnect {
 public:
  /// Throws InvalidArgument where map.check() does.
  explicit Interconnect(const MachineMap& map);

  [[nodiscard]] std::int64_t channel_count() const;
  /// Throws InvalidArgument where there is no such channel; so does name.
  [[nodiscard]] Channel channel(std::int64_t id) const;
  /// For people: "summit-3: Tesla V100-SXM2-16GB 4 -> POWER9 1", "fabric level 0 switch 7 up".
  [[nodiscard]] std::string name(std::int64_t id) const;

  /// Throws InvalidArgument where there is no such node or device.
  [[nodiscard]] Place device(node_id node, device_id device) const;

  /// Appends the channels that bytes pass, in order, to `path`. Throws InvalidArgument where there is no such place, or no
  /// path. Takes less than a microsecond.
  void route(const Place& from, const Place& to, std::vector<std::int64_t>& path) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace halocline::machine
