// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "device/host/doorbell.hpp"
#include "device/host/function_lengths.hpp"
#include "device/host/queue.hpp"

namespace halocline::device::host {

/// Runs the queues of one backend on a few threads: its own workers, and the threads that call help(). A queue whose first
/// operation waits is parked: it is in a list, and occupies no thread.
/// One mutex guards all queues, marks and captures; it is not held while a function runs.
/// The handling of a failure does not allocate, so that running out of memory fails a stream and not the process.
class Scheduler : public std::enable_shared_from_this<Scheduler> {
 public:
  Scheduler(const Clock& clock, std::shared_ptr<Injector> injector);

  struct Workers {
    int count;
    /// If not, they share the cores of the threads that will wait, and take only work that no waiting thread takes for a while.
    bool own_cores;
    /// On cores of their own they take work as soon as there is some, unless a thread waits and few functions have of late been longer than
    /// this: the waiting thread is done sooner than a second one, which has to be woken, and on whose core the data is not.
    Duration short_function;
  };
  /// Until stop_workers(), the scheduler runs what is enqueued, and keeps itself alive.
  void start_workers(const Workers& workers);
  /// Returns when the running operations are done. Queued operations stay queued; help() still runs them.
  void stop_workers();

  using Lock = std::unique_lock<std::mutex>;
  [[nodiscard]] Lock lock() { return Lock(mutex_); }
  [[nodiscard]] const std::shared_ptr<Doorbell>& doorbell() const { return doorbell_; }
  /// Whether an injector may delay an operation, or let it fail. Without one, what would be done at once need not be enqueued.
  [[nodiscard]] bool injects() const { return injector_ != nullptr; }
  /// Calls the injector. Must not be called with the lock held.
  [[nodiscard]] Injection injection(Operation operation, int device) const;
  /// The operation with the injector's fault for it, or, if it has branches, for each operation in them. Likewise.
  [[nodiscard]] Item with_injection(Item item, int device) const;

  /// Operations that may wait in a queue, about.
  static constexpr std::size_t most_queued = 4096;
  /// For a thread that is about to enqueue, without the lock held: in front of a full queue it runs operations, or sleeps, until half of
  /// them are done or the queue has failed. So a program that never waits for its steps is held back, as by launches on a GPU, and needs
  /// no more memory with each of them. Never waits for a queue that the calling thread is running.
  void wait_for_room(Queue& queue);

  // With the lock held:
  void push(Lock&, Queue& queue, Item item);
  [[nodiscard]] static bool finished(const Queue& queue) {
    return queue.items.empty() && queue.state == Queue::State::idle;
  }

  /// Wakes the threads for which push() and similar calls have added work. Releases the lock.
  void release(Lock& lock);

  /// Drops operations that have not started, and waits for a running function, unless it is the caller.
  /// Returns the number of operations that were dropped. The queue must not be used afterwards.
  std::size_t close(Queue& queue);

  /// Runs operations, or sleeps, until done() returns true; false at the deadline.
  /// If done() depends only on this backend's queues (rung), sleeps are longer.
  bool help(const std::function<bool()>& done, const Deadline& deadline, bool rung);

 private:
  enum class Outcome { done, polling, awaiting };
  /// Counts a thread as being in help() during its lifetime.
  class Helping {
   public:
    explicit Helping(Scheduler& scheduler) : scheduler_(scheduler) { count(1); }
    Helping(const Helping&) = delete;
    Helping& operator=(const Helping&) = delete;
    /// What the thread leaves undone is the workers'.
    ~Helping() { count(-1); }

   private:
    void count(int change) {
      const Lock held = scheduler_.lock();
      scheduler_.helpers_ += change;
      ++scheduler_.helps_;
      if (change < 0 && (scheduler_.any_runnable() || !scheduler_.polling_.empty())) scheduler_.end_rest();
    }
    Scheduler& scheduler_;
  };
  /// What a worker has seen of threads in help().
  struct Look {
    std::uint64_t helps;
    std::uint64_t operations;
  };
  void work();
  void leave_to_helpers(Look& last);
  void work_on_leftovers();
  [[nodiscard]] Look look() const { return {helps_, helped_operations_}; }
  bool left_to_helpers(Look& last) const;
  /// Of workers that share cores; the lock is held.
  void end_rest();
  bool run_one(bool is_worker);
  bool run_some();
  void run(Lock& lock, Queue& queue, bool is_worker);
  Outcome step(Lock& lock, Queue& queue);
  Outcome run_first(Lock& lock, Queue& queue);
  bool run_branches(Lock& lock, Queue& queue, const Branches& branches);
  bool run_in_branch(Lock& lock, const Item& item, Progress& progress);
  bool rests(const Injection& injection, Progress& progress);
  bool still_rests(const Progress& progress, Duration now);
  bool have_arrived(const FlagWaits& waits, FlagProgress& progress, Duration now);
  bool waits(const Item& item, Progress& progress, Duration now);
  bool waits(Queue& queue, Duration now);
  struct Ran {
    Duration ended;
    Duration took;
  };
  [[nodiscard]] Ran call(const Run& run) const;
  void note(const Ran& ran);
  [[nodiscard]] bool poll_is_due() const;
  void poll();
  void make_runnable(Queue& queue) noexcept;
  void park(Queue& queue) noexcept;
  void complete(Mark& mark, const FailurePtr& failure) noexcept;
  /// The failure for the exception that is being handled.
  [[nodiscard]] FailurePtr failure_on(int device) const noexcept;
  void fail(Queue& queue, const FailurePtr& failure) noexcept;
  void drop_items(Queue& queue, const FailurePtr& failure) noexcept;
  [[nodiscard]] std::shared_ptr<Queue> next_runnable() noexcept;
  [[nodiscard]] bool any_runnable() const;
  /// How long an idle thread may sleep without a ring; Duration::max() if nothing is polled.
  [[nodiscard]] Duration longest_sleep();

  /// By the machine's clock, even if clock_ is simulated.
  [[nodiscard]] static Duration real_time() { return std::chrono::steady_clock::now().time_since_epoch(); }

  const Clock& clock_;
  const std::shared_ptr<Injector> injector_;
  const std::shared_ptr<Doorbell> doorbell_;
  // Made in advance.
  const FailurePtr out_of_memory_;
  const FailurePtr destroyed_;  ///< for operations that a closed queue has not run

  std::mutex mutex_;
  std::array<QueueList, 2> runnable_;  ///< high priority, normal
  QueueList polling_;
  Duration next_event_ = Duration::max();  ///< the next deadline of the polled queues, by the clock
  std::uint32_t polled_at_ = 0;            ///< the doorbell's value before the last poll
  Duration polled_time_{};                 ///< time of the last poll, by the machine's clock
  bool ring_due_ = false;
  std::list<Item> garbage_;  ///< destroyed without the lock, because it may hold users' objects
  std::condition_variable stopped_running_;
  bool stop_ = false;
  int helpers_ = 0;                           ///< threads in help()
  int helpers_running_ = 0;                   ///< of them, in operations
  std::uint64_t helps_ = 0;                   ///< times that a thread has come to help(), or left it
  std::uint64_t helped_operations_ = 0;       ///< operations that threads in help() have run
  std::optional<FunctionLengths> functions_;  ///< of workers with cores of their own
  bool workers_rest_ = false;                 ///< workers that share cores wait for end_rest()
  std::condition_variable rest_ends_;
  std::vector<std::thread> workers_;
};

}  // namespace halocline::device::host
