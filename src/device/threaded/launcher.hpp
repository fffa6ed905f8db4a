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

/// Blocks until done(), which another thread is about to make true: polls at first, then yields, and at last sleeps between
/// polls.
void spin_until(const std::function<bool()>& done, bool dedicated_cores);

/// A thread that carries out what is handed over, in order.
class Launcher {
 public:
  /// dedicated_cores: it has its own core, so it may poll for work for a while before it sleeps.
  explicit Launcher(bool dedicated_cores);
  /// Carries out what is still pending.
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// The work must not throw. Any thread may call this.
  void hand_over(std::function<void()> work);
  /// Blocks until everything that was handed over before is carried out. Returns at once in the launcher's own thread, which
  /// would wait for itself.
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
