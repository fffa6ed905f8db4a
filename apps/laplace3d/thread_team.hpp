// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.hpp"

namespace laplace3d {

/// Threads that wait for work together. After an error a team is of no more use.
class ThreadTeam {
 public:
  /// timeout: of a member that waits for another one.
  ThreadTeam(int members, halocline::Duration timeout);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  /// Every member calls job with its number, from 0; returns when all have. Throws what the first failed with; the others
  /// then stop at their next wait.
  void run(const std::function<void(int)>& job);

  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()); }
  [[nodiscard]] halocline::Duration timeout() const { return timeout_; }
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  /// Whether each member has a core, so that it may wait without letting others run.
  [[nodiscard]] bool has_dedicated_cores() const { return dedicated_cores_; }

 private:
  void live(int member);
  void end();

  halocline::Duration timeout_;
  bool dedicated_cores_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable idle_;
  const std::function<void(int)>* job_ = nullptr;
  std::uint64_t round_ = 0;
  int busy_ = 0;
  bool over_ = false;
  std::exception_ptr failure_;
  std::atomic<bool> stopped_{false};
  std::vector<std::thread> threads_;
};

/// How far a member got, for others to wait for. Grows.
class alignas(64) Milestone {
 public:
  /// What the member did before happens-before what follows a wait for `value`.
  void reach(std::int64_t value) { value_.store(value, std::memory_order_release); }
  /// Blocks until it is `value` or more. Throws DeadlineError that names `what`, and CommunicationError where another
  /// member failed.
  void await(std::int64_t value, const ThreadTeam& team, const char* what) const;

 private:
  std::atomic<std::int64_t> value_{0};
};

}  // namespace laplace3d
