// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "machine/found_network.hpp"
#include "machine/network/text.hpp"

namespace halocline::machine::network {

/// Switches, channel adapters and their links. Every link is in the list of both its ends.
struct Subnet {
  struct Link {
    std::string peer;
    double bandwidth = 0;  ///< bytes a second; 0: unknown
  };
  struct Node {
    bool is_switch = false;
    std::string label;  ///< of an adapter: its host
    int line = 0;
    std::vector<Link> links;
  };
  std::map<std::string, Node> nodes;  ///< by the name in the file, type and GUID
};

/// The fat tree of a subnet. Switches with hosts have height 0, others one more than the lowest that they are connected to. Switches up to a height that are connected
/// below it are one switch of the tree. Subnets without a path between them are rails if each has all hosts in the same groups. Throws InvalidArgument at a line for what
/// is no fat tree, or at `end` for what is missing.
[[nodiscard]] SwitchTree tree_of(const Subnet& subnet, const At& end);

}  // namespace halocline::machine::network
