// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "core/clock.hpp"

namespace halocline::test {

/// A clock that does not advance until a test moves it. Thread-safe.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] Duration now() const override { return Duration(now_.load()); }
  void advance(Duration by) { now_ += by.count(); }

 private:
  std::atomic<Duration::rep> now_{0};
};

}  // namespace halocline::test
