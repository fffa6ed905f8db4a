// SPDX-License-Identifier: BSD-3-Clause
// Communicators are created by a collective, never by a copy.
// expect: deleted
#include <memory>
#include <utility>

#include "comm/rank_group.hpp"

using halocline::comm::RankGroup;

#ifdef HC_CONTROL
void take(std::unique_ptr<RankGroup> mine) { auto yours = std::move(mine); }
#else
void take(RankGroup& mine, RankGroup& yours) { yours = mine; }
#endif
