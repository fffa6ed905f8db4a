// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/backend.hpp"
#include "halocline/domain.hpp"

namespace apps {

/// Keeps the host at most steps_in_flight steps ahead of the devices, without letting them run dry.
class InFlight {
 public:
  /// Steps that may be enqueued before the host waits for them: enough that streams never run dry, few enough that
  /// progress is seen and a failure is noticed.
  static constexpr std::int64_t steps_in_flight = 8;

  /// The domain is realised, and outlives it.
  explicit InFlight(halocline::Domain& domain);
  /// To be called after every steps_in_flight / 2 steps: waits for those before them, and lets these go on. Throws what
  /// a stream failed with.
  void wait();

 private:
  halocline::Domain& domain_;
  std::array<std::vector<std::unique_ptr<halocline::device::Event>>, 2> marks_;
  std::size_t calls_ = 0;
};

}  // namespace apps
