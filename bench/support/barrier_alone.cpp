// SPDX-License-Identifier: BSD-3-Clause
#include "support/barrier.hpp"

namespace halocline::bench {

void start_together(comm::RankGroup& world) { world.barrier(); }

}  // namespace halocline::bench
