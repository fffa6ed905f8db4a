// SPDX-License-Identifier: BSD-3-Clause
#include "model/section.hpp"

namespace halocline::model {

machine::MachineMap section_of(const machine::MachineMap& map, std::span<const node_id> nodes) {
  machine::MachineMap section{.name = map.name,
                              .types = map.types,
                              .nodes = {},
                              .ranks = {},
                              .network = map.network,
                              .software = map.software,
                              .sources = {}};
  section.network.fabric.shape = machine::Crossbar{};
  for (const node_id node : nodes) {
    const node_id copy(std::ssize(section.nodes));
    section.nodes.push_back(map.nodes.at(node.index()));
    section.nodes.back().device_uuids.clear();
    section.nodes.back().port = -1;  // one switch has none to choose from, and a node may be there twice
    for (const machine::RankEntry& rank : map.ranks) {
      if (rank.node == node) section.ranks.push_back({copy, rank.devices});
    }
  }
  return section;
}

}  // namespace halocline::model
