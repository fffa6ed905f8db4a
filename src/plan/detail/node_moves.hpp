// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "machine/interconnect.hpp"
#include "mapping/refine.hpp"
#include "placement/placement.hpp"
#include "plan/detail/judge.hpp"

namespace halocline {

/// The nodes that hold slots as places of a mapping problem: moves subdomains between nodes by the load of the network's channels.
/// Placements are positions in the slots, by subdomain.
class NodeMoves {
 public:
  /// slots: of the map, as slots_of() has them. map and slots must outlive this object.
  NodeMoves(const machine::MachineMap& map, const machine::Interconnect& interconnect,
            const std::vector<placement::Slot>& slots);

  [[nodiscard]] int nodes() const { return static_cast<int>(first_.size()) - 1; }
  /// Whether all nodes hold the same number of slots.
  [[nodiscard]] bool equal_numbers() const;

  /// Exchanges all that nodes hold: the subdomains of a node stay together, each at its position among the node's slots. By the methods of
  /// mapping::alternatives(), the least congested network first. Requires equal_numbers().
  [[nodiscard]] std::vector<std::vector<int>> of_whole_nodes(const Messages& messages, const std::vector<int>& slot_of,
                                                             const mapping::Effort& effort) const;
  /// Exchanges single subdomains of different nodes as long as that relieves the network's most loaded channels. A subdomain
  /// that stays on its node keeps its slot.
  [[nodiscard]] std::vector<int> of_subdomains(const Messages& messages, const std::vector<int>& slot_of,
                                               const mapping::Effort& effort) const;

 private:
  [[nodiscard]] std::vector<int> nodes_of(std::span<const int> slot_of) const;

  std::vector<int> node_of_;   ///< by slot: position among the nodes with slots
  std::vector<int> first_;     ///< first slot of each of them, and the number of slots
  mapping::Topology network_;  ///< between them
};

}  // namespace halocline
