// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "comm/rank_group.hpp"

namespace halocline::comm {

/// While this exists, ranks wait for each other for at most so long: after a wait in vain, so that the two together last no longer
/// than one may.
class ShortWaits {
 public:
  ShortWaits(RankGroup& comm, Duration most) : comm_(comm), timeout_(comm.timeout()) {
    comm_.set_timeout(std::min(timeout_, most));
  }
  ~ShortWaits() { comm_.set_timeout(timeout_); }
  ShortWaits(const ShortWaits&) = delete;
  ShortWaits& operator=(const ShortWaits&) = delete;

 private:
  RankGroup& comm_;
  Duration timeout_;
};

}  // namespace halocline::comm
