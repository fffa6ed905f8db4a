// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "comm/rank_group.hpp"

namespace halocline::bench {

/// The barrier before a timed exchange. RankGroup::barrier backs off while it waits, which makes ranks leave it some
/// ten microseconds apart; this one is MPI_Barrier itself where there is MPI, as codes and papers time exchanges.
void start_together(comm::RankGroup& world);

}  // namespace halocline::bench
