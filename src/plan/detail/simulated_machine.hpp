// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "plan/detail/judge.hpp"
#include "plan/detail/node_network.hpp"
#include "plan/detail/placements.hpp"
#include "plan/plan.hpp"

namespace halocline {

/// Machines of more devices are simulated by sections.
inline constexpr std::int64_t most_devices_of_whole = 64;

/// A machine on which exchanges are simulated: the whole one, or a section of a large one.
struct SimulatedMachine {
  SimulatedMachine(machine::MachineMap map_in, const PlanRequest& request, const Freedom& freedom_in);
  SimulatedMachine(const SimulatedMachine&) = delete;  // the judge refers to the map
  SimulatedMachine& operator=(const SimulatedMachine&) = delete;

  machine::MachineMap map;
  Freedom freedom;
  Judge judge;
  Placements placements;
};

/// A partition on a simulated machine.
struct Case {
  SimulatedMachine* machine = nullptr;
  partition::Geometry geometry;
  Messages messages;
};

/// Up to 64 devices the whole machine is simulated. Beyond, the section for a partition has at most two nodes in each dimension with
/// subdomains as large as the machine's, all nodes of one kind and placed alike: one section for each kind of node. Nodes with unequal
/// numbers of devices are one node of all of them; then there may not be more.
class SimulatedMachines {
 public:
  explicit SimulatedMachines(const PlanRequest& request);

  [[nodiscard]] std::vector<Case> cases_of(const partition::Partition& parts);
  /// What a partition takes at least of the parts of the network that cases_of() leave out: picoseconds; 0 where they leave out none.
  /// Nothing where finding it would take too long.
  [[nodiscard]] std::optional<std::int64_t> network_load(const partition::Partition& parts);
  /// located: for each of cases_of(parts).
  [[nodiscard]] std::vector<placement::Slot> slots_of(const partition::Partition& parts,
                                                      const std::vector<std::vector<int>>& located) const;

 private:
  [[nodiscard]] double share_of_busiest_rail() const;
  [[nodiscard]] bool whole() const { return std::ssize(slots_) <= most_devices_of_whole; }

  const PlanRequest& request_;
  machine::MachineMap map_;  ///< as measured
  std::vector<placement::Slot> slots_;
  std::vector<std::size_t> kind_of_;  ///< by node with slots
  std::vector<node_id> kinds_;        ///< a node of each
  std::map<std::pair<std::size_t, std::int64_t>, std::unique_ptr<SimulatedMachine>>
      sections_;                        ///< by kind and number of nodes
  std::optional<NetworkLoad> network_;  ///< of a fabric that sections do not have
};

}  // namespace halocline
