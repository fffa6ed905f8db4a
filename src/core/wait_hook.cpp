// SPDX-License-Identifier: BSD-3-Clause
#include "core/wait_hook.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "halocline/environment.hpp"

namespace halocline {
namespace {

constexpr auto interval = std::chrono::milliseconds(20);

/// Never destroyed: threads of the library may wait while the process ends.
struct Hook {
  std::atomic<bool> set{false};
  std::mutex mutex;
  std::shared_ptr<const std::function<void()>> function;
};

Hook& hook() {
  static Hook* const one = new Hook;
  return *one;
}

}  // namespace

void set_wait_hook(std::function<void()> function) {
  const std::lock_guard held(hook().mutex);
  hook().set = function != nullptr;
  hook().function = function ? std::make_shared<const std::function<void()>>(std::move(function)) : nullptr;
}

void WaitHook::poll() {
  if (!hook().set.load(std::memory_order_relaxed)) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < interval) return;
  last_ = now;
  std::shared_ptr<const std::function<void()>> function;
  {
    const std::lock_guard held(hook().mutex);
    function = hook().function;
  }
  if (function) (*function)();
}

}  // namespace halocline
