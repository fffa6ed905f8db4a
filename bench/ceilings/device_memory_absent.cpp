// SPDX-License-Identifier: BSD-3-Clause
#include "ceilings/pairs.hpp"

namespace halocline::bench {

Allocate device_memory(comm::RankGroup& /*world*/) { return {}; }

}  // namespace halocline::bench
