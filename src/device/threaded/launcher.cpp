// SPDX-License-Identifier: BSD-3-Clause
#include "device/threaded/launcher.hpp"

#include <chrono>
#include <utility>

#include "core/start_thread.hpp"

namespace halocline::device::threaded {
namespace {

using std::chrono::microseconds;

/// For as long as a step of a small domain takes.
constexpr microseconds look_for{200};

}  // namespace

void spin_until(const std::function<bool()>& done, bool dedicated_cores) {
  for (int attempt = 0; attempt < (dedicated_cores ? 2048 : 1); ++attempt) {
    if (done()) return;
  }
  const auto begun = std::chrono::steady_clock::now();
  while (!done()) {
    const auto waited = std::chrono::steady_clock::now() - begun;
    if (waited < microseconds(10'000)) {
      if (!dedicated_cores || waited > look_for) std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(microseconds(50));
    }
  }
}

Launcher::Launcher(bool dedicated_cores)
    : dedicated_cores_(dedicated_cores), thread_(start_thread("the launches of a device", [this] { live(); })) {}

Launcher::~Launcher() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  there_is_work_.notify_one();
  thread_.join();
}

void Launcher::hand_over(std::function<void()> work) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    handed_.fetch_add(1, std::memory_order_release);
    wake = std::exchange(asleep_, false);
  }
  if (wake) there_is_work_.notify_one();
}

void Launcher::settle() const {
  if (std::this_thread::get_id() == thread_.get_id()) return;
  const std::uint64_t until = handed_.load(std::memory_order_acquire);
  spin_until([&] { return done_.load(std::memory_order_acquire) >= until; }, dedicated_cores_);
}

/// Whether any came within a while, without the mutex.
bool Launcher::look_for_work() {
  if (!dedicated_cores_) return false;
  const auto begun = std::chrono::steady_clock::now();
  const std::uint64_t done = done_.load(std::memory_order_relaxed);
  while (std::chrono::steady_clock::now() - begun < look_for) {
    for (int attempt = 0; attempt < 64; ++attempt) {
      if (handed_.load(std::memory_order_acquire) != done) return true;
    }
  }
  return false;
}

void Launcher::live() {
  std::vector<std::function<void()>> mine;
  while (true) {
    static_cast<void>(look_for_work());
    {
      std::unique_lock lock(mutex_);
      while (queue_.empty()) {
        if (over_) return;
        asleep_ = true;
        there_is_work_.wait(lock);
      }
      std::swap(mine, queue_);
    }
    for (auto& work : mine) {
      work();
      work = nullptr;  // what it holds may be asked for as soon as it counts as done
      done_.fetch_add(1, std::memory_order_release);
    }
    mine.clear();
  }
}

}  // namespace halocline::device::threaded
