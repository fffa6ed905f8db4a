// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/simulator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <utility>

namespace halocline::simulation {
namespace {

constexpr Time longest_weight = std::chrono::milliseconds(20);

}  // namespace

Simulator& Simulator::instance() {
  static auto* const one = new Simulator;  // threads that have not ended are not unwound
  return *one;
}

bool Simulator::here() { return instance().self_ != nullptr; }

void Simulator::begin(const Disturbances& disturbances, const Limits& limits, bool traces,
                      std::function<void(const std::string&)> failed) {
  disturbances_ = disturbances;
  limits_ = limits;
  traces_ = traces;
  failed_ = std::move(failed);
  choices_ = test::Seeded(disturbances.seed);
  Thread& first = add_thread();
  first.name = "main";
  first.fiber = std::make_unique<Fiber>();
  self_ = &first;
}

void Simulator::end() { self_ = nullptr; }

void Simulator::record(const char* what, std::int64_t detail, bool disturbance) {
  const auto mix = [this](std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001b3u; };
  mix(static_cast<std::uint64_t>(now_.count()));
  mix(static_cast<std::uint64_t>(self_->number));
  mix(static_cast<std::uint64_t>(detail));
  for (const char* c = what; *c != 0; ++c) mix(static_cast<unsigned char>(*c));
  if (traces_) events_.push_back({now_, self_->number, what, detail, disturbance});
}

bool Simulator::disturbs(std::int64_t one_in) {
  if (one_in == 0 || choices_.between(1, one_in) != 1) return false;
  const std::uint64_t number = drawn_++;
  return std::ranges::none_of(disturbances_.without,
                              [&](const auto& range) { return number >= range.first && number < range.second; });
}

Time Simulator::up_to(Time most) { return Time(choices_.between(0, most.count())); }

std::int64_t Simulator::random_weight() { return std::int64_t{1} << (2 * choices_.between(0, 3)); }

void Simulator::wake_sleepers() {
  for (const auto& thread : threads_) {
    if (thread->ended || thread->ready || thread->wake_at > now_) continue;
    thread->ready = true;
    thread->woken = false;
  }
}

/// No system lets a thread that is ready wait for ever for others that are: nobody has the same weight for long.
void Simulator::weigh_anew() {
  if (now_ < weighed_until_) return;
  for (const auto& thread : threads_) thread->weight = random_weight();
  weighed_until_ = now_ + up_to(longest_weight);
}

/// The next thread to run, by weight; if none is ready, at the earliest time at which one is.
Thread& Simulator::choose() {
  wake_sleepers();
  weigh_anew();
  std::int64_t weights = 0;
  const auto sum = [&] {
    weights = 0;
    for (const auto& thread : threads_) weights += thread->ready && !thread->ended ? thread->weight : 0;
  };
  sum();
  if (weights == 0) {
    Time first = Time::max();
    for (const auto& thread : threads_) {
      if (!thread->ended) first = std::min(first, thread->wake_at);
    }
    if (first == Time::max()) fail("hang: no thread can go on, and none waits for a time" + report());
    now_ = std::max(now_, first);
    if (now_ > limits_.time) {
      fail(fmt::format("hang: not done after {} s of virtual time{}", now_.count() / 1'000'000'000, report()));
    }
    wake_sleepers();
    sum();
  }
  std::int64_t at = choices_.between(0, weights - 1);
  for (const auto& thread : threads_) {
    if (!thread->ready || thread->ended) continue;
    at -= thread->weight;
    if (at < 0) return *thread;
  }
  fail("the simulator has lost count of its threads");
}

void Simulator::pass_to(Thread& next) {
  if (&next == self_) return;
  self_ = &next;
  next.fiber->resume();
}

void Simulator::block(std::uintptr_t on, Time until, const char* what) {
  self_->ready = false;
  self_->woken = false;
  self_->waits_on = on;
  self_->waits_for = what;
  self_->wake_at = until;
  pass_to(choose());
  self_->waits_on = 0;
  self_->waits_for = "";
  self_->wake_at = Time::max();
}

void Simulator::point(const char* what) {
  now_ += up_to(disturbances_.longest_point) + Time(1);
  if (++points_ > limits_.points || now_ > limits_.time) {
    fail(fmt::format("hang: not done after {} points and {:.3f} s of virtual time{}", points_,
                     static_cast<double>(now_.count()) * 1e-9, report()));
  }
  record(what, 0, false);
  if (self_->stopped_until > now_) {
    record("stopped", (self_->stopped_until - now_).count(), true);
    block(0, self_->stopped_until, "the end of a stop");
  }
  if (disturbs(disturbances_.delay_one_in)) {
    // Short ones and long ones alike.
    const Time delay = up_to(disturbances_.longest_delay) / (std::int64_t{1} << choices_.between(0, 8));
    record("delayed", delay.count(), true);
    block(0, now_ + delay, "a delay");
  } else if (disturbs(disturbances_.switch_one_in)) {
    Thread& next = choose();
    if (&next != self_) record("another goes on", next.number, true);
    pass_to(next);
  }
}

void Simulator::sleep(Time duration, const char* what) {
  point(what);
  block(0, duration > Time::max() - now_ ? Time::max() : now_ + std::max(duration, Time(1)), what);
}

/// A thread that yields waits for others, or for time to pass.
void Simulator::yield() {
  point("yield");
  block(0, now_ + up_to(disturbances_.longest_yield) + Time(1), "a yield");
}

bool Simulator::wait(std::uintptr_t on, Time until, const char* what) {
  if (disturbs(disturbances_.early_wake_one_in)) {
    record("woken without a reason", 0, true);
    block(0, std::min(until, now_ + up_to(std::chrono::microseconds(10))), what);
    return false;
  }
  block(on, until, what);
  return self_->woken;
}

void Simulator::wake(std::uintptr_t on, int most, const char* what, bool lost) {
  record(what, 0, false);
  std::vector<Thread*> waiting;
  for (const auto& thread : threads_) {
    if (thread->ended || thread->ready || thread->waits_on != on) continue;
    if (!lost || thread->wake_at == Time::max()) waiting.push_back(thread.get());
  }
  for (; most > 0 && !waiting.empty(); --most) {
    const auto at = waiting.begin() + choices_.between(0, std::ssize(waiting) - 1);
    (*at)->ready = true;
    (*at)->woken = true;
    (*at)->waits_on = 0;
    waiting.erase(at);
  }
}

bool Simulator::loses_wake() {
  if (!disturbs(disturbances_.lose_wake_one_in)) return false;
  record("a wake-up is lost", 0, true);
  return true;
}

Thread& Simulator::add_thread() {
  auto thread = std::make_unique<Thread>();
  thread->number = static_cast<int>(threads_.size());
  thread->weight = random_weight();
  if (self_ != nullptr) {
    // The threads of main are the ranks; those of a rank are its workers.
    thread->name = self_->number == 0 ? fmt::format("rank {}", self_->children)
                                      : fmt::format("{}, thread {}", self_->name, self_->children + 1);
    ++self_->children;
  }
  threads_.push_back(std::move(thread));
  return *threads_.back();
}

Thread& Simulator::start(std::function<void*()> body) {
  Thread& thread = add_thread();
  const auto run = [this, &thread, body = std::move(body)] {
    point("thread begins");
    thread.result = body();
  };
  thread.fiber = std::make_unique<Fiber>(run, [this]() -> Fiber& { return *leave().fiber; });
  return thread;
}

/// The end of the thread that runs. Returns the next.
Thread& Simulator::leave() {
  record("thread ends", 0, false);
  self_->ended = true;
  self_->ready = false;
  wake(reinterpret_cast<std::uintptr_t>(self_), INT_MAX, "joined");
  self_ = &choose();
  return *self_;
}

void Simulator::join(Thread& thread) {
  point("join");
  while (!thread.ended) block(reinterpret_cast<std::uintptr_t>(&thread), Time::max(), "the end of a thread");
}

void Simulator::stop_family(Time duration) {
  for (const auto& thread : threads_) {
    if (thread->ended || (thread.get() != self_ && !thread->name.starts_with(self_->name + ","))) continue;
    thread->stopped_until = now_ + duration;
  }
}

void Simulator::fail(const std::string& text) {
  for (const auto& thread : threads_) {
    if (!thread->ended && thread.get() != self_) thread->fiber->visit();
  }
  failed_(text);
  std::abort();
}

std::string Simulator::report() const {
  std::string text;
  for (const auto& thread : threads_) {
    if (thread->ended) continue;
    text +=
        fmt::format("\n  {}: {}", thread->name, thread->ready ? "ready" : fmt::format("waits: {}", thread->waits_for));
    if (!thread->ready && thread->wake_at != Time::max()) {
      text += fmt::format(", until {:.6f} s", static_cast<double>(thread->wake_at.count()) * 1e-9);
    }
  }
  return text;
}

}  // namespace halocline::simulation
