// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/machine_map.hpp"

// Networks as other programs describe them, turned into the fabric of a machine map. Pure: texts in, values out.
namespace halocline::machine {

/// A network and the places of its hosts.
struct FoundNetwork {
  struct Host {
    std::string name;
    int port = 0;  ///< place in `fabric`
    friend bool operator==(const Host&, const Host&) = default;
  };
  std::vector<Host> hosts;  ///< by port
  double bandwidth = 0;  ///< bytes a second of a host, each direction, all rails; 0 where the source does not have it
  double latency = 0;    ///< seconds between two hosts on one switch; 0 where the source does not have it
  /// Rates of uplinks are 0 where the source does not have them.
  Fabric fabric{};
  std::vector<std::string> notes;  ///< what was read, what is assumed; for MachineMap::sources
};

/// Switches above hosts, as a tree. Position 0 is the root, which may join switches that the source does not connect.
struct SwitchTree {
  struct Switch {
    std::string name;
    std::vector<int> children;       ///< positions of switches
    std::vector<std::string> hosts;  ///< of a switch without children
    LinkRate uplinks;                ///< of all links to the switch above together; 0: unknown
  };
  std::vector<Switch> switches;
  double host_bandwidth = 0;  ///< as FoundNetwork has it
  double host_latency = 0;
  int rails = 1;
  std::vector<std::string> notes;
};
/// As many levels as the tree has between hosts and root. Of switches of one level, the fabric has the one with the most children and the slowest uplinks; both are noted
/// where they differ. Throws InvalidArgument if a host is named twice, or hosts are at different depths.
[[nodiscard]] FoundNetwork network_of(const SwitchTree& tree);

/// Formats of `read_network`.
enum class NetworkFormat : int {
  ibnetdiscover,  ///< InfiniBand: output of ibnetdiscover
  slurm,          ///< topology.conf with switches or blocks, or output of `scontrol show topology`
  hwloc,          ///< XML of lstopo or hwloc-assembler
  pairs           ///< CSV of latencies and bandwidths between pairs of hosts
};
inline constexpr std::string_view network_formats[] = {"ibnetdiscover", "slurm", "hwloc", "pairs"};
[[nodiscard]] std::string_view to_string(NetworkFormat format);
/// The format by words that the others do not have. Throws InvalidArgument that lists the formats; file: for the message.
[[nodiscard]] NetworkFormat recognise_network(std::string_view text, std::string_view file);
/// Reads a network. Throws InvalidArgument "<file>:<line>: <what is wrong>" for malformed text, and "<file>:<line>:<column>: ..." for a byte that is not UTF-8 or
/// is a control character.
[[nodiscard]] FoundNetwork read_network(NetworkFormat format, std::string_view text, std::string_view file);

/// The map with the network in place of its own. Its nodes become the hosts if it has none of their names and one kind of node, with as many ranks a node
/// as before; otherwise all its nodes must be hosts, and take their places. Missing rates are the map's; missing rates of uplinks are these of all nodes below,
/// with an assumed latency. Throws InvalidArgument for a node that is no host.
[[nodiscard]] MachineMap with_network(MachineMap map, const FoundNetwork& network);

}  // namespace halocline::machine
