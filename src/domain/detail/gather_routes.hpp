// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "comm/rank_group.hpp"
#include "plan/plan.hpp"

namespace halocline {

/// Collective: returns the routes of all ranks, by sender, then receiver.
[[nodiscard]] std::vector<RoutedMessage> gather_routed_messages(comm::RankGroup& comm,
                                                                std::span<const RoutedMessage> mine);

}  // namespace halocline
