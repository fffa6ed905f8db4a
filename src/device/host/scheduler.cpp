// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/wait_hook.hpp"
#include "device/host/naps.hpp"

namespace halocline::device::host {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// How a helping thread waits while there is nothing to do.
struct Idling {
  /// How long it yields before it sleeps. What it waits for is often that near, and waking a sleeping core takes as long (much longer in a
  /// virtual machine). Once for each wait, so that long waits cost nothing.
  Duration yields;
  Duration first_nap;
  Duration longest_nap;
};
constexpr Idling for_a_ring = {microseconds(100), first_nap, longest_nap};
/// For what has no ring, such as messages of MPI. A message through a network makes several steps (an offer, an answer, parts), each of them
/// in a call of MPI: a nap before each would take ten times as long as the message.
constexpr Idling blindly = {milliseconds(2), microseconds(20), microseconds(500)};
/// How long queues are run before polled queues are checked, without a ring.
constexpr Duration longest_without_poll = milliseconds(1);
/// How long a helping thread stays with a queue before it checks what it waits for.
constexpr Duration longest_help = microseconds(50);

}  // namespace

Scheduler::Scheduler(const Clock& clock, std::shared_ptr<Injector> injector)
    : clock_(clock),
      injector_(std::move(injector)),
      doorbell_(std::make_shared<Doorbell>()),
      out_of_memory_(make_failure(ErrorKind::resource, "out of memory while an operation on a host device failed")),
      destroyed_(make_failure(ErrorKind::device, "the stream was destroyed before this was run")) {}

Injection Scheduler::injection(Operation operation, int device) const {
  return injector_ == nullptr ? Injection{} : injector_->before(operation, device);
}

Item Scheduler::with_injection(Item item, int device) const {
  if (injector_ == nullptr) return item;
  auto* branches = std::get_if<Branches>(&item.step);
  if (branches == nullptr) {
    item.injection = injector_->before(item.kind, device);
    return item;
  }
  auto items = std::make_shared<std::vector<std::vector<Item>>>(*branches->items);
  for (std::vector<Item>& branch : *items) {
    for (Item& one : branch) one.injection = injector_->before(one.kind, device);
  }
  branches->items = std::move(items);
  return item;
}

void Scheduler::push(Lock&, Queue& queue, Item item) {
  queue.items.push_back(std::move(item));
  if (queue.state == Queue::State::idle) make_runnable(queue);
  end_rest();
}

void Scheduler::release(Lock& lock) {
  const bool ring = std::exchange(ring_due_, false);
  std::list<Item> garbage;
  garbage.swap(garbage_);
  lock.unlock();
  if (ring) doorbell_->ring();
}

std::size_t Scheduler::close(Queue& queue) {
  Lock held = lock();
  const std::size_t dropped = queue.items.size();
  drop_items(queue, destroyed_);
  const std::shared_ptr<Queue> alive = queue.shared_from_this();
  for (QueueList* list : {&polling_, &runnable_[0], &runnable_[1]}) {
    const auto position = std::ranges::find(*list, alive);
    if (position != list->end()) queue.unlink(*list, position);
  }
  if (queue.state != Queue::State::running) {
    queue.state = Queue::State::idle;
  } else if (queue.runner != std::this_thread::get_id()) {
    stopped_running_.wait(held, [&] { return queue.state != Queue::State::running; });
  }
  release(held);
  return dropped;
}

bool Scheduler::help(const std::function<bool()>& done, const Deadline& deadline, bool rung) {
  const Idling& idling = rung ? for_a_ring : blindly;
  Duration nap = idling.first_nap;
  Duration idle_since = Duration::max();
  const Helping helping(*this);
  WaitHook hook;
  while (true) {
    const std::uint32_t seen = doorbell_->value();
    if (done()) return true;
    if (run_some()) {
      idle_since = Duration::max();
      nap = idling.first_nap;
      continue;
    }
    if (deadline.expired()) return false;
    hook.poll();
    if (idle_since == Duration::max()) idle_since = real_time();
    if (real_time() - idle_since < idling.yields) {
      std::this_thread::yield();
      continue;
    }
    const Duration longest = longest_sleep();
    doorbell_->sleep(seen, std::max(shortest_nap, std::min(nap, longest)));
    nap = std::min(2 * nap, idling.longest_nap);
  }
}

/// Runs operations until there is none, or for the time after which done() is asked again: it may look at hundreds of messages, which
/// would take longer than a small operation. Returns false if there was none.
bool Scheduler::run_some() {
  if (!run_one(false)) return false;
  const Duration leave_at = real_time() + longest_help;
  while (real_time() < leave_at && run_one(false)) {
  }
  return true;
}

void Scheduler::wait_for_room(Queue& queue) {
  const auto left = [&](std::size_t most) {
    const Lock held = lock();
    const bool mine = queue.state == Queue::State::running && queue.runner == std::this_thread::get_id();
    return queue.items.size() <= most || queue.failure != nullptr || mine;
  };
  if (!left(most_queued - 1)) (void)help([&] { return left(most_queued / 2); }, Deadline(), false);
}

Duration Scheduler::longest_sleep() {
  const Lock held = lock();
  if (polling_.empty()) return Duration::max();
  if (next_event_ == Duration::max()) return longest_nap;
  return std::clamp(next_event_ - clock_.now(), Duration::zero(), longest_nap);
}

bool Scheduler::run_one(bool is_worker) {
  Lock held = lock();
  if (is_worker && stop_) return false;
  if (!any_runnable() || poll_is_due()) poll();
  const std::shared_ptr<Queue> queue = next_runnable();
  if (queue == nullptr) {
    release(held);
    return false;
  }
  run(held, *queue, is_worker);
  release(held);
  return true;
}

/// Runs operations of a queue until it has none, is parked, another queue is runnable, or the thread has helped enough.
void Scheduler::run(Lock& held, Queue& queue, bool is_worker) {
  const Duration leave_at = is_worker ? Duration::max() : real_time() + longest_help;
  queue.state = Queue::State::running;
  queue.runner = std::this_thread::get_id();
  if (!is_worker) ++helpers_running_;
  while (!queue.items.empty()) {
    Outcome outcome = Outcome::done;
    try {
      outcome = step(held, queue);
    } catch (...) {
      const FailurePtr failure = failure_on(queue.device);
      if (!held.owns_lock()) held.lock();
      fail(queue, failure);
    }
    if (!is_worker) ++helped_operations_;
    if (outcome == Outcome::polling) {
      park(queue);
      // Workers may sleep for long because nothing was polled, and this thread may leave.
      if (!is_worker) ring_due_ = true;
      break;
    }
    if (outcome == Outcome::awaiting) {
      queue.state = Queue::State::awaiting;
      break;
    }
    if (queue.items.empty()) break;
    if (poll_is_due()) poll();
    if (any_runnable() || (!is_worker && real_time() >= leave_at)) {
      make_runnable(queue);
      break;
    }
  }
  if (!is_worker) --helpers_running_;
  if (queue.state == Queue::State::running) {
    queue.state = Queue::State::idle;
    ring_due_ = true;  // a thread may be waiting for the end of the stream
  }
  stopped_running_.notify_all();
}

bool Scheduler::poll_is_due() const {
  if (polling_.empty()) return false;
  return doorbell_->value() != polled_at_ || real_time() >= polled_time_ + longest_without_poll;
}

void Scheduler::make_runnable(Queue& queue) noexcept {
  queue.state = Queue::State::runnable;
  queue.link(runnable_[queue.priority == Priority::high ? 0 : 1]);
  ring_due_ = true;
}

void Scheduler::park(Queue& queue) noexcept {
  queue.state = Queue::State::polling;
  queue.link(polling_);
}

void Scheduler::complete(Mark& mark, const FailurePtr& failure) noexcept {
  mark.done = true;
  mark.time = clock_.now();
  mark.failure = failure;
  for (const std::weak_ptr<Queue>& waiter : mark.waiters) {
    const std::shared_ptr<Queue> queue = waiter.lock();
    if (queue != nullptr && queue->state == Queue::State::awaiting) make_runnable(*queue);
  }
  mark.waiters.clear();
  ring_due_ = true;  // a thread may be polling the event
}

FailurePtr Scheduler::failure_on(int device) const noexcept {
  try {
    return failure_of(std::current_exception(), fmt::format("an operation on host device {}", device));
  } catch (...) {
    return out_of_memory_;
  }
}

void Scheduler::fail(Queue& queue, const FailurePtr& failure) noexcept {
  queue.failure = failure;
  drop_items(queue, failure);
}

void Scheduler::drop_items(Queue& queue, const FailurePtr& failure) noexcept {
  for (Item& item : queue.items) {
    if (const auto* record = std::get_if<Record>(&item.step)) complete(*record->mark, failure);
  }
  garbage_.splice(garbage_.end(), queue.items);
  queue.begin_next();
}

std::shared_ptr<Queue> Scheduler::next_runnable() noexcept {
  for (QueueList& list : runnable_) {
    if (list.empty()) continue;
    std::shared_ptr<Queue> queue = list.front();
    queue->unlink(list, list.begin());
    return queue;
  }
  return nullptr;
}

bool Scheduler::any_runnable() const { return !runnable_[0].empty() || !runnable_[1].empty(); }

}  // namespace halocline::device::host
