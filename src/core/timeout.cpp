// SPDX-License-Identifier: BSD-3-Clause
#include "core/timeout.hpp"

#include <fmt/core.h>

#include <chrono>

#include "halocline/error.hpp"

namespace halocline {

Duration checked_timeout(Duration timeout) {
  if (timeout > Duration::zero() && timeout <= std::chrono::seconds(1'000'000'000)) return timeout;
  throw InvalidArgument(
      fmt::format("timeout is {} s; allowed is above 0 and up to 1e9", std::chrono::duration<double>(timeout).count()));
}

}  // namespace halocline
