// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "comm/rank_group.hpp"

namespace cli {

/// Throws InvalidArgument on all ranks, which names a difference, unless all were started with the same arguments and have
/// the same environment where a difference would part them: other collectives would follow, in another order. Collective.
void check_same_command(halocline::comm::RankGroup& world, int argc, const char* const* argv);

}  // namespace cli
