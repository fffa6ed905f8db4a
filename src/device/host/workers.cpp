// SPDX-License-Identifier: BSD-3-Clause
// The worker threads of a scheduler.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/start_thread.hpp"
#include "device/host/naps.hpp"
#include "device/host/scheduler.hpp"

namespace halocline::device::host {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// The longest sleep of a worker for which nothing was polled; a thread that is busy by now may have parked a queue since.
constexpr Duration idle_nap = milliseconds(100);
/// How long work is left to the threads that will wait for it, before a worker takes it that leaves it to them.
constexpr Duration grace = microseconds(200);
/// After this number of checks in vain, one that shares cores checks seldom. If there is no work at all, it rests until the next push, or until a waiting
/// thread leaves work undone.
constexpr int looks_before_rest = 50;

}  // namespace

void Scheduler::start_workers(const Workers& workers) {
  workers_.reserve(
      static_cast<std::size_t>(workers.count));  // a running thread that could not be kept would end the process
  if (workers.own_cores) functions_.emplace(workers.short_function);
  try {
    for (int i = 0; i < workers.count; ++i) {
      workers_.push_back(start_thread(
          fmt::format("worker {} of {} of the host devices", i + 1, workers.count),
          [self = shared_from_this(), workers] { workers.own_cores ? self->work() : self->work_on_leftovers(); }));
    }
  } catch (...) {
    stop_workers();
    throw;
  }
}

void Scheduler::stop_workers() {
  {
    const Lock held = lock();
    stop_ = true;
  }
  rest_ends_.notify_all();
  doorbell_->ring();
  for (std::thread& worker : workers_) {
    // The backend may be destroyed by a function that runs on a worker and held its last reference.
    if (worker.get_id() == std::this_thread::get_id()) {
      worker.detach();
    } else {
      worker.join();
    }
  }
}

void Scheduler::work() {
  Duration nap = first_nap;
  Look last{};
  while (true) {
    leave_to_helpers(last);
    const std::uint32_t seen = doorbell_->value();
    if (run_one(true)) {
      nap = first_nap;
      continue;
    }
    {
      const Lock held = lock();
      if (stop_) return;
    }
    const Duration longest = longest_sleep();
    if (longest == Duration::max()) {
      doorbell_->sleep(seen, idle_nap);
      nap = first_nap;
    } else {
      doorbell_->sleep(seen, std::max(shortest_nap, std::min(nap, longest)));
      nap = std::min(2 * nap, longest_nap);
    }
  }
}

/// Whether threads in help() take the work: one has been there since the last look, and is free or has run an operation since. Not if each of
/// them has been in the same operation all the time, which may wait for what is left. The lock is held.
bool Scheduler::left_to_helpers(Look& last) const {
  const Look before = std::exchange(last, look());
  return before.helps != last.helps || helpers_running_ < helpers_ || before.operations != last.operations;
}

/// Returns if work is not left to threads in help(), or if many functions are long. Does not sleep on the doorbell meanwhile, so that a
/// ring does not pay for waking a thread that would do nothing.
void Scheduler::leave_to_helpers(Look& last) {
  if (functions_->many_long()) return;
  Duration nap = grace;
  Lock held = lock();
  while (!stop_ && !functions_->many_long()) {
    const std::uint64_t helps = last.helps;
    if (!left_to_helpers(last)) return;
    nap = helps != last.helps ? grace : std::min(2 * nap, longest_nap);
    rest_ends_.wait_for(held, nap, [this] { return stop_; });
  }
}

void Scheduler::end_rest() {
  if (std::exchange(workers_rest_, false)) rest_ends_.notify_all();
}

/// Checks for work from time to time, and takes it only if no thread has been in help() since the last check: where both share a core, to
/// change between them costs more than most operations. Does not sleep on the doorbell, so that a ring does not pay for waking it.
void Scheduler::work_on_leftovers() {
  int looks_in_vain = 0;
  Duration nap = grace;
  Lock held = lock();
  Look last = look();
  while (!stop_) {
    if (looks_in_vain >= looks_before_rest && !any_runnable() && polling_.empty()) {
      workers_rest_ = true;
      rest_ends_.wait(held, [this] { return stop_ || !workers_rest_; });
      looks_in_vain = 0;
      nap = grace;
      last = look();
    }
    rest_ends_.wait_for(held, nap, [this] { return stop_; });
    const bool left = left_to_helpers(last);
    bool worked = false;
    while (!stop_ && !left && helps_ == last.helps) {
      held.unlock();
      const bool one = run_one(true);
      held.lock();
      if (!one) break;
      worked = true;
    }
    looks_in_vain = worked ? 0 : looks_in_vain + 1;
    // Flags of other processes are polled less and less often; a thread that waits for them calls help().
    const Duration longest = looks_in_vain < looks_before_rest ? first_nap : longest_nap;
    nap = worked ? grace : std::min(2 * nap, longest);
  }
}

}  // namespace halocline::device::host
