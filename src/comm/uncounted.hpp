// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::comm {

/// While one lives, `halocline profile` counts no message of this thread's: for what Halocline sends to set up and to close, which
/// is no traffic of the program's. Persistent messages that are made meanwhile are counted when they are started later. Costs
/// nothing where the profiling library is not there.
class Uncounted {
 public:
  Uncounted();
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;
  ~Uncounted();
};

}  // namespace halocline::comm
