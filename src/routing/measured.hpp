// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <tuple>

#include "machine/machine_map.hpp"
#include "placement/placement.hpp"
#include "routing/choose.hpp"

namespace halocline::routing {

/// Determines PairFacts::measured from a machine map that contains measurements.
class MeasuredPairs {
 public:
  /// The map must outlive this.
  explicit MeasuredPairs(const machine::MachineMap& machine) : machine_(&machine) {}
  /// The two-way rates of a pair on one node. For each transport it is the lower rate of the two directions, so that
  /// both directions use the same transport. Empty for a pair on two nodes, and if nothing was measured.
  [[nodiscard]] const MeasuredRates& between(const placement::Slot& from, const placement::Slot& to);

 private:
  const machine::MachineMap* machine_;
  MeasuredRates none_;
  std::map<std::tuple<const machine::NodeType*, device_id, device_id>, MeasuredRates> known_;
};

}  // namespace halocline::routing
