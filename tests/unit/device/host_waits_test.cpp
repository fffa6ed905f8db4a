// SPDX-License-Identifier: BSD-3-Clause
// Waits on host devices: how often they ask, what they cost, and what need not be waited for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "core/clock.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// The only worker of a backend runs a function until let_go().
class Occupied {
 public:
  explicit Occupied(Backend& backend) : stream_(backend.create_stream(0)) {
    stream_->host_function([this] {
      there_ = true;
      while (!stop_) std::this_thread::sleep_for(milliseconds(1));
    });
    while (!there_) std::this_thread::yield();
  }
  Occupied(const Occupied&) = delete;
  Occupied& operator=(const Occupied&) = delete;
  ~Occupied() {
    let_go();
    stream_->synchronize();
  }
  void let_go() { stop_ = true; }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<bool> there_{false};
  std::unique_ptr<Stream> stream_;
};

TEST(HostWaits, WaitUntilLooksAtItsConditionWhileQueuesAreLong) {
  const auto backend = make_host(1, 1);
  const auto stream = backend->create_stream(0);
  std::atomic<int> ran{0};
  for (int i = 0; i < 200; ++i) {
    stream->host_function([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      ++ran;
    });
  }
  EXPECT_TRUE(backend->wait_until([&] { return ran >= 20; }, patience()));
  EXPECT_LT(ran, 150);
  stream->synchronize();
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(HostWaits, WaitingCostsLittle) {
  const auto backend = make_host(4, 2);
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < 8; ++i) {
    streams.push_back(backend->create_stream(i % 4));
    wait_for(*streams.back(), &at.one, &at.flags[i], 0, guard("never", milliseconds(300)));
  }
  const double before = cpu_seconds();
  for (const auto& stream : streams) EXPECT_THAT(failure(*stream), HasSubstr("deadline: never"));
  EXPECT_LT(cpu_seconds() - before, 0.03);

  const double idle = cpu_seconds();
  EXPECT_FALSE(backend->wait_until([] { return false; }, Deadline(Clock::steady(), milliseconds(300))));
  EXPECT_LT(cpu_seconds() - idle, 0.05);

  const double quiet = cpu_seconds();
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_LT(cpu_seconds() - quiet, 0.005);
}

/// Messages of MPI make several steps, each in a call that a wait makes. Other programs may have the core: one of many waits is enough.
TEST(HostWaits, AWaitThatNothingRingsForAsksOftenInItsFirstMillisecond) {
  const auto backend = make_host(1, 1);
  const auto asked_after_a_third = [&] {
    const auto begin = std::chrono::steady_clock::now();
    int asked = 0;
    EXPECT_FALSE(backend->wait_until(
        [&] {
          const auto waited = std::chrono::steady_clock::now() - begin;
          if (waited > std::chrono::microseconds(300) && waited < milliseconds(1)) ++asked;
          return false;
        },
        Deadline(Clock::steady(), milliseconds(1))));
    return asked;
  };
  const Deadline deadline = patience();
  int most = 0;
  while (most < 30 && !deadline.expired()) most = std::max(most, asked_after_a_third());
  EXPECT_GE(most, 30);
}

/// Nothing runs in these streams.
TEST(HostWaits, AnEventOfAnEmptyStreamIsReachedAtOnce) {
  const auto backend = make_host(1, 1);
  Occupied worker(*backend);
  const auto event = backend->create_event(0);
  const auto stream = backend->create_stream(0);
  const auto other = backend->create_stream(0);
  stream->record(*event);
  EXPECT_TRUE(event->query());
  other->wait(*event);
  EXPECT_TRUE(other->query());

  stream->host_function([] {});
  stream->record(*event);
  EXPECT_FALSE(event->query());
  other->wait(*event);
  EXPECT_FALSE(other->query());
  worker.let_go();
  other->synchronize();
  EXPECT_TRUE(event->query());
}

TEST(HostWaits, WaitUntilRunsQueuedWork) {
  const auto backend = make_host(1, 1);
  const Occupied worker(*backend);
  const auto stream = backend->create_stream(0);
  // The only worker is busy, so the waiting thread runs the function.
  std::thread::id runner;
  std::atomic<bool> done{false};
  stream->host_function([&] {
    runner = std::this_thread::get_id();
    done = true;
  });
  EXPECT_TRUE(backend->wait_until([&] { return done.load(); }, patience()));
  EXPECT_EQ(runner, std::this_thread::get_id());
}

}  // namespace
}  // namespace halocline::device::test
