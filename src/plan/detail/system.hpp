// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.hpp"

namespace halocline {

/// On larger machines subdomains keep their nodes: tables of the search grow with the square.
inline constexpr std::int64_t most_devices_moved = 4'096;

struct OnSystem {
  partition::Partition partition;
  std::vector<placement::Slot> slots;  ///< by subdomain_id
  Moves moves;
};

/// Moves subdomains between nodes, whole nodes' and single ones, so that an exchange takes less time over the machine's network
/// (docs/decisions/0058). partitions: the first one, placed as `start` on all slots of the machine, is kept where nothing is faster by more than
/// 1/64; the others may take its place. Up to 64 devices exchanges are simulated; beyond, placements are compared by Judge::bound(). Throws
/// InvalidArgument where messages have no path.
[[nodiscard]] OnSystem place_on_system(const PlanRequest& request, const std::vector<partition::Partition>& partitions,
                                       const std::vector<placement::Slot>& start);

}  // namespace halocline
