// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "machine/interconnect.hpp"
#include "mapping/topology.hpp"
#include "plan/plan.hpp"

namespace halocline {

/// The nodes that hold slots as places, and the channels of the network between them; nodes whose devices reach each other by load and store
/// pass none. first: first_slots(slots).
[[nodiscard]] mapping::Topology node_network(const machine::MachineMap& map, const machine::Interconnect& interconnect,
                                             const std::vector<placement::Slot>& slots, const std::vector<int>& first);

/// What the messages between nodes take of a network that is more than one switch, with the parts of nodes in the order of the nodes.
class NetworkLoad {
 public:
  /// slots: of the map; the same number on each node. share: of a node's messages, that its busiest rail carries.
  NetworkLoad(const machine::MachineMap& map, const std::vector<placement::Slot>& slots, double share);

  /// Seconds of the busiest channel: of the nodes' ports, and of the links between switches.
  struct Busiest {
    double port = 0;
    double link = 0;
  };
  /// Nothing where all calls together would have looked at more messages than take about a second.
  [[nodiscard]] std::optional<Busiest> busiest(const PlanRequest& request, const partition::Partition& parts);

 private:
  [[nodiscard]] Busiest find(const PlanRequest& request, const partition::Partition& parts) const;

  std::int64_t ports_;         ///< the first channels
  mapping::Topology network_;  ///< all rails as one
  double slower_;              ///< how many times as long the busiest rail takes as all rails would, equally loaded
  std::int64_t effort_;        ///< messages that may still be looked at
  std::map<std::array<std::int64_t, 3>, Busiest> known_;  ///< by grid of nodes
};

}  // namespace halocline
