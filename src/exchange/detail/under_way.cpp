// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/under_way.hpp"

#include <algorithm>

namespace halocline::exchange {

const std::shared_ptr<UnderWay>& UnderWay::of_this_thread() {
  static thread_local const auto own = std::make_shared<UnderWay>();
  return own;
}

void UnderWay::add(HostDriven& exchange) {
  const std::lock_guard lock(mutex_);
  all_.push_back(&exchange);
}

void UnderWay::remove(const HostDriven& exchange) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase(all_, &exchange);
}

void UnderWay::proceed_with_others(const HostDriven& own) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(all_, [&](HostDriven* exchange) {
    if (exchange == &own) return false;
    try {
      exchange->proceed();
      return false;
    } catch (...) {  // it keeps its error
      return true;
    }
  });
}

}  // namespace halocline::exchange
