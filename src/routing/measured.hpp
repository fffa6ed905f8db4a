// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <tuple>

#include "halocline/machine_map.hpp"
#include "placement/placement.hpp"
#include "routing/choose.hpp"

namespace halocline::routing {

/// PairFacts::measured, from a machine map that holds measurements.
class MeasuredPairs {
 public:
  /// The map has to stay.
  explicit MeasuredPairs(const machine::MachineMap& machine) : machine_(&machine) {}
  /// Two-way rates of the node that both are on, of each transport the lower one of the two directions, so that both go the
  /// same way. Empty for two nodes, and where nothing was measured.
  [[nodiscard]] const MeasuredRates& between(const placement::Slot& from, const placement::Slot& to);

 private:
  const machine::MachineMap* machine_;
  MeasuredRates none_;
  std::map<std::tuple<const machine::NodeType*, device_id, device_id>, MeasuredRates> known_;
};

}  // namespace halocline::routing
