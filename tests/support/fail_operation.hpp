// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "device/host.hpp"

namespace halocline::test {

/// Makes every later operation of a kind fail on a host device, while `fail` is set.
class FailOperation final : public device::Injector {
 public:
  explicit FailOperation(device::Operation operation) : operation_(operation) {}
  std::atomic<bool> fail{false};
  device::Injection before(device::Operation operation, int) override {
    device::Injection injection;
    if (fail && operation == operation_) injection.failure = "planted";
    return injection;
  }

 private:
  device::Operation operation_;
};

}  // namespace halocline::test
