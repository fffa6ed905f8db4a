// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plan.hpp"

namespace halocline {

/// A partition with the best placement that was found for it.
struct JudgedGrid {
  partition::Partition partition;
  std::int64_t at_least = 0;              ///< a bound of its simulated time, picoseconds
  std::optional<std::int64_t> simulated;  ///< picoseconds
};

struct Joint {
  partition::Partition partition;
  std::vector<placement::Slot> slots;  ///< by subdomain_id
  Judged judged;
  std::vector<JudgedGrid> grids;  ///< in the order of the request
};

/// Judges partitions together with placements by the simulated time of an exchange (docs/decisions/0049). request: with a machine that passes
/// its check(). partitions: some hundreds at most; the first one, placed by Method::automatic's assignment problem, is what the result is
/// compared with; it is kept where nothing is faster by more than 1/64, as simulated times are no better known. Placements are searched
/// where the request's method is fastest; otherwise each partition is placed by the request's method. Throws InvalidArgument where the
/// machine's messages have no path.
[[nodiscard]] Joint judge_together(const PlanRequest& request, const std::vector<partition::Partition>& partitions);

}  // namespace halocline
