// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "device/host.hpp"

namespace halocline::test {

/// Makes every later allocation on a host device fail, while `fail` is set.
class FailToAllocate final : public device::Injector {
 public:
  std::atomic<bool> fail{false};
  device::Injection before(device::Operation operation, int) override {
    device::Injection injection;
    if (fail && operation == device::Operation::allocate) injection.failure = "planted";
    return injection;
  }
};

}  // namespace halocline::test
