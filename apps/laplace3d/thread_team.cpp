// SPDX-License-Identifier: BSD-3-Clause
#include "laplace3d/thread_team.hpp"

#include <fmt/core.h>

#include <chrono>
#include <system_error>

#include "halocline/error.hpp"

namespace laplace3d {
namespace {

/// What members throw that wait for one that failed: its own error counts.
struct Stopped : halocline::CommunicationError {
  Stopped() : ErrorOf(std::string("another thread failed")) {}
};

}  // namespace

ThreadTeam::ThreadTeam(int members, halocline::Duration timeout)
    : timeout_(timeout), dedicated_cores_(static_cast<int>(std::thread::hardware_concurrency()) > members) {
  try {
    for (int member = 0; member < members; ++member) threads_.emplace_back([this, member] { live(member); });
  } catch (const std::system_error& error) {
    end();
    throw halocline::ResourceError(fmt::format("laplace3d: cannot start thread {} of {}: {}", threads_.size() + 1,
                                               members, error.code().message()));
  }
}

ThreadTeam::~ThreadTeam() { end(); }

void ThreadTeam::end() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  work_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ThreadTeam::run(const std::function<void(int)>& job) {
  std::unique_lock lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  job_ = &job;
  busy_ = size();
  ++round_;
  work_.notify_all();
  idle_.wait(lock, [this] { return busy_ == 0; });
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadTeam::live(int member) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [&] { return over_ || round_ != seen; });
    if (over_) return;
    seen = round_;
    const auto& job = *job_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      job(member);
    } catch (const Stopped&) {
    } catch (...) {
      failure = std::current_exception();
      stopped_.store(true, std::memory_order_release);
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    if (--busy_ == 0) idle_.notify_one();
  }
}

void Milestone::await(std::int64_t value, const ThreadTeam& team, const char* what) const {
  using std::chrono::microseconds;
  using std::chrono::milliseconds;
  const auto reached = [&] { return value_.load(std::memory_order_acquire) >= value; };
  for (int attempt = 0; attempt < (team.has_dedicated_cores() ? 4096 : 1); ++attempt) {
    if (reached()) return;
  }
  const auto begun = std::chrono::steady_clock::now();
  while (!reached()) {
    if (team.stopped()) throw Stopped();
    const auto waited = std::chrono::steady_clock::now() - begun;
    if (waited > team.timeout()) {
      throw halocline::DeadlineError(fmt::format("laplace3d: {} is late by more than {} s", what,
                                                 std::chrono::duration<double>(team.timeout()).count()));
    }
    if (waited < milliseconds(10)) {
      if (!team.has_dedicated_cores() || waited > microseconds(500)) std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(microseconds(50));
    }
  }
}

}  // namespace laplace3d
