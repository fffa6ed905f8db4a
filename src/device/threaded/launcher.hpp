// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace halocline::device::threaded {

/// Blocks until done(), which another thread brings about soon: asks again at once at first, then lets others run, and at
/// last sleeps in between.
void spin_until(const std::function<bool()>& done, bool dedicated_cores);

/// A thread that carries out what is handed over, in order.
class Launcher {
 public:
  /// dedicated_cores: it has a core of its own, so that it may look for work for a while before it sleeps.
  explicit Launcher(bool dedicated_cores);
  /// Carries out what is left.
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// Must not throw when it is carried out. Any thread may call.
  void hand_over(std::function<void()> work);
  /// Blocks until all that was handed over before is carried out. A launcher's own thread, which would wait for itself,
  /// returns at once.
  void settle() const;

 private:
  void live();
  bool look_for_work();

  bool dedicated_cores_;
  std::mutex mutex_;
  std::condition_variable there_is_work_;
  std::vector<std::function<void()>> queue_;
  bool over_ = false;
  bool asleep_ = false;
  std::atomic<std::uint64_t> handed_{0};
  std::atomic<std::uint64_t> done_{0};
  std::thread thread_;
};

}  // namespace halocline::device::threaded
