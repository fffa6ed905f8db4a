#pragma once

#include <cstdint>
#include <queue>

namespace halocline::mapping::detail {

/// A process, and what taking it next would gain. The largest gain first, of several the lowest process.
struct Candidate {
  std::int64_t gain;
  int process;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.gain != b.gain ? a.gain < b.gain : a.process > b.process;
  }
};
/// A process stands in it once for each gain that it had: the user tells which one counts.
using GainQueue = std::priority_queue<Candidate>;

}  // namespace halocline::mapping::detail
