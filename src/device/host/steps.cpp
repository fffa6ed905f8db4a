// SPDX-License-Identifier: BSD-3-Clause
// How operations begin, go on and end.
#include <algorithm>
#include <exception>
#include <utility>

#include "device/host/scheduler.hpp"

namespace halocline::device::host {

/// Whether a rest goes on.
bool Scheduler::still_rests(const Progress& progress, Duration now) {
  if (now >= progress.rest_until) return false;
  next_event_ = std::min(next_event_, progress.rest_until);
  return true;
}

/// Whether an injected delay holds the operation up. Throws an injected failure.
bool Scheduler::rests(const Injection& injection, Progress& progress) {
  using Stage = Progress::Stage;
  if (progress.stage == Stage::fresh && injection.delay > Duration::zero()) {
    progress.stage = Stage::resting;
    progress.rest_until = clock_.now() + injection.delay;
  }
  if (progress.stage == Stage::resting && still_rests(progress, clock_.now())) return true;
  progress.stage = Stage::begun;
  if (injection.failure) throw DeviceError(*injection.failure);
  return false;
}

bool Scheduler::have_arrived(const FlagWaits& waits, FlagProgress& progress, Duration now) {
  if (advance_waits(waits, progress, now)) return true;
  next_event_ = std::min(next_event_, first_deadline(waits, progress));
  return false;
}

Scheduler::Ran Scheduler::call(const Run& run) const {
  const Duration began = clock_.now();
  (*run.function)();
  const Duration ended = clock_.now();
  return {ended, ended - began};
}

void Scheduler::note(const Ran& ran) {
  if (functions_) functions_->note(ran.ended, ran.took);
}

/// Begins or continues the first operation. Returns with the lock held; throws with or without it.
Scheduler::Outcome Scheduler::step(Lock& held, Queue& queue) {
  Item& first = queue.items.front();
  if (rests(first.injection, queue.progress)) return Outcome::polling;
  if (std::holds_alternative<Run>(first.step)) return run_first(held, queue);
  if (const auto* flags = std::get_if<AwaitFlags>(&first.step)) {
    if (!have_arrived(*flags->flags, queue.progress.flags, clock_.now())) return Outcome::polling;
  } else if (const auto* record = std::get_if<Record>(&first.step)) {
    complete(*record->mark, nullptr);
  } else if (const auto* branches = std::get_if<Branches>(&first.step)) {
    if (!run_branches(held, queue, *branches)) return Outcome::polling;
    if (queue.items.empty()) return Outcome::done;  // the queue was closed meanwhile
  } else {
    Mark& mark = *std::get<AwaitMark>(first.step).mark;
    if (!mark.done) {
      mark.waiters.push_back(queue.weak_from_this());
      return Outcome::awaiting;
    }
    if (mark.failure != nullptr) raise(*mark.failure);
  }
  garbage_.splice(garbage_.end(), queue.items, queue.items.begin());
  queue.begin_next();
  return Outcome::done;
}

Scheduler::Outcome Scheduler::run_first(Lock& held, Queue& queue) {
  std::list<Item> running;
  running.splice(running.begin(), queue.items, queue.items.begin());
  queue.begin_next();
  release(held);
  const double slowdown =
      injector_ && running.front().kind == Operation::launch ? injector_->slowdown(queue.device) : 1;
  const Ran ran = call(std::get<Run>(running.front().step));
  running.clear();  // destroys what the function holds before the stream is seen to be done
  held.lock();
  note(ran);
  if (slowdown > 1) {
    const auto rest = std::chrono::duration_cast<Duration>((slowdown - 1) * ran.took);
    queue.items.push_front(
        {Operation::host_function, Run{std::make_shared<const std::function<void()>>([] {})}, {rest, {}}});
  }
  return Outcome::done;
}

/// Runs what can be run, until no branch can go on while the lock is held. If a branch fails, throws when the others have come as far as they
/// can, so that their messages are sent. Returns whether all branches are done, or were dropped meanwhile.
bool Scheduler::run_branches(Lock& held, Queue& queue, const Branches& branches) {
  const auto all = branches.items;
  queue.branches.resize(all->size());
  std::exception_ptr failure;
  bool open = true;
  for (bool moved = true; moved;) {
    moved = open = false;
    for (std::size_t i = 0; i < all->size(); ++i) {
      while (queue.branches[i].next < (*all)[i].size()) {
        bool ran = false;
        try {
          BranchProgress& branch = queue.branches[i];
          ran = run_in_branch(held, (*all)[i][branch.next], branch.progress);
        } catch (...) {
          if (!held.owns_lock()) held.lock();
          if (failure == nullptr) failure = std::current_exception();
          if (!queue.branches.empty()) queue.branches[i].next = (*all)[i].size();
        }
        if (queue.branches.empty()) return true;
        if (!ran) break;
        moved = true;
        queue.branches[i] = {queue.branches[i].next + 1, {}};
      }
      open = open || queue.branches[i].next < (*all)[i].size();
    }
  }
  if (failure != nullptr) std::rethrow_exception(failure);
  return !open;
}

/// Returns false if it has to wait.
bool Scheduler::run_in_branch(Lock& held, const Item& item, Progress& progress) {
  if (rests(item.injection, progress)) return false;
  if (const auto* flags = std::get_if<AwaitFlags>(&item.step)) {
    return have_arrived(*flags->flags, progress.flags, clock_.now());
  }
  release(held);
  const Ran ran = call(std::get<Run>(item.step));
  held.lock();
  note(ran);
  return true;
}

/// Whether an operation that was found to wait still does. Throws what ends its wait with an error.
bool Scheduler::waits(const Item& item, Progress& progress, Duration now) {
  if (progress.stage == Progress::Stage::resting) return still_rests(progress, now);
  return !have_arrived(*std::get<AwaitFlags>(item.step).flags, progress.flags, now);
}

bool Scheduler::waits(Queue& queue, Duration now) {
  const auto* branches = std::get_if<Branches>(&queue.items.front().step);
  if (branches == nullptr) return waits(queue.items.front(), queue.progress, now);
  for (std::size_t i = 0; i < queue.branches.size(); ++i) {
    BranchProgress& branch = queue.branches[i];
    const std::vector<Item>& items = (*branches->items)[i];
    if (branch.next < items.size() && !waits(items[branch.next], branch.progress, now)) return false;
  }
  return true;
}

/// Checks all queues that wait for flags, or for a time to pass.
void Scheduler::poll() {
  polled_at_ = doorbell_->value();
  polled_time_ = real_time();
  next_event_ = Duration::max();
  if (polling_.empty()) return;
  const Duration now = clock_.now();
  QueueList polled;
  polled.swap(polling_);
  while (!polled.empty()) {
    const std::shared_ptr<Queue> queue = polled.front();
    queue->unlink(polled, polled.begin());
    bool parked = false;
    try {
      parked = waits(*queue, now);
    } catch (...) {
      // The thread that runs the queue finds and throws it again: a late wait stays late.
    }
    if (parked) {
      park(*queue);
    } else {
      make_runnable(*queue);
    }
  }
}

}  // namespace halocline::device::host
