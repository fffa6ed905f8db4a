// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include "comm/rank_group.hpp"

namespace halocline::comm {

/// While this exists, ranks wait for each other for up to a day: for work that one of them does alone, and that takes as long as a disk
/// needs. If the process of a rank of this node ends, or is stopped, a wait ends after the timeout.
class Patience {
 public:
  explicit Patience(RankGroup& comm) : comm_(comm), timeout_(comm.timeout()) {
    comm_.set_timeout(std::chrono::hours(24));
    comm_.look_each(timeout_);
  }
  ~Patience() {
    comm_.set_timeout(timeout_);
    comm_.look_each(Duration::zero());
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

 private:
  RankGroup& comm_;
  Duration timeout_;
};

}  // namespace halocline::comm
