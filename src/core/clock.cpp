// SPDX-License-Identifier: BSD-3-Clause
#include "core/clock.hpp"

namespace halocline {
namespace {

class SteadyClock final : public Clock {
 public:
  [[nodiscard]] Duration now() const override { return std::chrono::steady_clock::now().time_since_epoch(); }
};

}  // namespace

const Clock& Clock::steady() {
  static const SteadyClock clock;
  return clock;
}

}  // namespace halocline
