// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

namespace halocline::bench {

/// A barrier of the ranks of a node, by a counter in memory that they share: 0 at first.
class Meeting {
 public:
  static constexpr std::int64_t cells_of_counter = 16;  ///< two cache lines, of doubles

  Meeting(double* counter, int ranks)
      : counter_(reinterpret_cast<std::uint64_t*>(counter)), ranks_(static_cast<std::uint64_t>(ranks)) {}

  void operator()() {
    const std::atomic_ref<std::uint64_t> counter(*counter_);
    counter.fetch_add(1, std::memory_order_acq_rel);
    met_ += ranks_;
    while (counter.load(std::memory_order_acquire) < met_) sched_yield();
  }

 private:
  std::uint64_t* counter_;
  std::uint64_t ranks_;
  std::uint64_t met_ = 0;
};

}  // namespace halocline::bench
