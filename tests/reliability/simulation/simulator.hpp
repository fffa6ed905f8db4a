// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simulation/fibers.hpp"
#include "support/seeded.hpp"

namespace halocline::simulation {

/// Virtual time since the beginning of a run.
using Time = std::chrono::nanoseconds;

/// What a seed chooses, and how it disturbs the threads. "One in 0" is never.
struct Disturbances {
  std::uint64_t seed = 0;
  std::int64_t switch_one_in = 4;  ///< points at which another thread goes on although this one could
  std::int64_t delay_one_in = 0;   ///< points at which a thread is delayed
  Time longest_delay{};
  std::int64_t lose_wake_one_in =
      0;  ///< wake-ups of a futex that are lost for waits with a limit of time: sleeps on a doorbell have one
  std::int64_t early_wake_one_in = 0;  ///< waits that end without a reason, as POSIX allows
  Time longest_yield = std::chrono::microseconds(20);
  Time longest_point = std::chrono::nanoseconds(400);  ///< what the code between two points takes
  int cores = 4;                                       ///< that the program finds
  /// Disturbances are numbered in the order in which they are drawn; those within these ranges do not happen.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> without;
};

/// Beyond these a run has hung. Of the machine's time there is a limit in the driver.
struct Limits {
  Time time = std::chrono::seconds(30);
  std::uint64_t points = 60'000'000;
};

struct Event {
  Time at;
  int thread;
  const char* what;
  std::int64_t detail;
  bool disturbance;  ///< or a remark
};

/// One thread of the run. Exactly one runs at a time.
struct Thread {
  std::unique_ptr<Fiber> fiber;
  int number = 0;
  std::string name;
  int children = 0;
  std::int64_t weight = 1;  ///< how often it is chosen
  bool ready = true;
  bool ended = false;
  bool woken = false;  ///< its last wait ended by a wake-up
  std::uintptr_t waits_on = 0;
  const char* waits_for = "";  ///< for the report of a hang
  Time wake_at = Time::max();
  Time stopped_until{};  ///< by stop_family(), from its next point on
  void* result = nullptr;
};

/// Runs the threads of this process one at a time, in an order and by a clock that a seed determines. While a run is on, the functions of
/// interposed.cpp call this instead of the system; each call is a point at which another thread may go on.
/// One run for each process. No locks: its threads are fibers, of which one runs.
class Simulator {
 public:
  static Simulator& instance();
  /// Whether a run is on: between begin() and end(), all that this process does belongs to it.
  [[nodiscard]] static bool here();

  /// The calling thread becomes the first of the run. failed: called with a text when no thread can go on, or a limit is passed; must
  /// end the process.
  void begin(const Disturbances& disturbances, const Limits& limits, bool traces,
             std::function<void(const std::string&)> failed);
  /// The other threads never run again.
  void end();

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::uint64_t points() const { return points_; }
  /// Of the order of all points, with their threads and times.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  [[nodiscard]] std::uint64_t disturbed() const { return drawn_; }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] const std::string& name(int thread) const { return threads_[static_cast<std::size_t>(thread)]->name; }
  [[nodiscard]] int cores() const { return disturbances_.cores; }
  /// Delays the calling thread and the threads that it has begun by that time, from their next points on.
  void stop_family(Time duration);
  /// A remark in the trace.
  void note(const char* what, std::int64_t detail = 0) { record(what, detail, true); }

  // What interposed.cpp calls.
  void point(const char* what);
  void sleep(Time duration, const char* what);
  void yield();
  /// Returns true if it was woken, false at that time or without a reason.
  bool wait(std::uintptr_t on, Time until, const char* what);
  /// lost: only threads that wait without a limit of time are woken.
  void wake(std::uintptr_t on, int most, const char* what, bool lost = false);
  [[nodiscard]] bool loses_wake();
  /// The new thread waits for its turn.
  [[nodiscard]] Thread& start(std::function<void*()> body);
  /// Returns when the thread has ended.
  void join(Thread& thread);
  /// The thread that runs.
  [[nodiscard]] Thread& self() const { return *self_; }
  /// Ends the run with a failure, whose first word is its kind. In each thread that waits, stands_here() is called before.
  [[noreturn]] void fail(const std::string& text);

 private:
  Thread& add_thread();
  Thread& leave();
  void record(const char* what, std::int64_t detail, bool disturbance);
  [[nodiscard]] bool disturbs(std::int64_t one_in);
  [[nodiscard]] Time up_to(Time most);
  [[nodiscard]] std::int64_t random_weight();
  void weigh_anew();
  [[nodiscard]] Thread& choose();
  void pass_to(Thread& next);
  void block(std::uintptr_t on, Time until, const char* what);
  void wake_sleepers();
  [[nodiscard]] std::string report() const;

  Disturbances disturbances_;
  Limits limits_;
  test::Seeded choices_{0};
  bool traces_ = false;
  std::function<void(const std::string&)> failed_;
  std::vector<std::unique_ptr<Thread>> threads_;
  Thread* self_ = nullptr;
  Time now_{};
  Time weighed_until_{};
  std::uint64_t points_ = 0;
  std::uint64_t drawn_ = 0;
  std::uint64_t hash_ = 0xcbf29ce484222325u;
  std::vector<Event> events_;
};

}  // namespace halocline::simulation
