// SPDX-License-Identifier: BSD-3-Clause
#include "core/timeout.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"

namespace halocline {

Duration checked_timeout(std::chrono::duration<double> timeout) {
  constexpr std::chrono::duration<double> longest(1e9);
  if (timeout.count() > 0 && timeout <= longest) return std::chrono::duration_cast<Duration>(timeout);
  throw InvalidArgument(fmt::format("timeout is {} s; allowed is above 0 and up to 1e9", timeout.count()));
}

}  // namespace halocline
