// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "simulation/simulator.hpp"

namespace halocline::simulation {
namespace {

constexpr int number_of_threads = 3;
constexpr int code_of_failure = 3;

void in_a_run(const std::function<void()>& body) {
  Disturbances disturbances;
  disturbances.switch_one_in = 1;
  Simulator::instance().begin(disturbances, {}, false, [](const std::string& failure) {
    fmt::print(stderr, "{}\n", failure);
    std::fflush(stderr);
    ::_exit(code_of_failure);
  });
  body();
  Simulator::instance().end();
}

/// Until all threads have been here several times.
void let_others_run() {
  for (int i = 0; i < 20; ++i) std::this_thread::yield();
}

struct Seen {
  bool unwinding_alone = false;
  int caught = 0;
  int rethrown = 0;
  int in_errno = 0;
  int changed = 0;
  int made_once = 0;
  std::thread::id id;
};

thread_local int initial = 7;
std::mutex of_ended;
std::vector<int> ended;

/// A thread_local object whose end waits for a mutex.
struct Ends {
  int number = 0;
  ~Ends() {
    const std::lock_guard lock(of_ended);
    let_others_run();
    ended.push_back(number);
  }
};

/// The first thread to call it makes the value, for which the others wait.
int slow_static() {
  static const int made = [] {
    let_others_run();
    return 5;
  }();
  return made;
}

struct SlowUnwinding {
  bool& alone;
  ~SlowUnwinding() {
    let_others_run();
    alone = std::uncaught_exceptions() == 1;
  }
};

void throw_slowly(int number, Seen& seen) {
  const SlowUnwinding slow{seen.unwinding_alone};
  throw number;
}

void rethrow_slowly(int number, Seen& seen) {
  try {
    throw_slowly(number, seen);
  } catch (int caught) {
    seen.caught = caught;
    let_others_run();
    throw;
  }
}

void live(int number, Seen& seen) {
  static thread_local Ends ends;
  ends.number = number;
  seen.id = std::this_thread::get_id();
  errno = number;
  initial += number;
  seen.made_once = slow_static();
  try {
    rethrow_slowly(number, seen);
  } catch (int caught) {
    seen.rethrown = caught;
  }
  let_others_run();
  seen.in_errno = errno;
  seen.changed = initial;
}

TEST(SimulatedThreads, HaveExceptionsErrnoAndThreadLocalObjectsOfTheirOwn) {
  std::array<Seen, number_of_threads> all;
  std::array<std::thread::id, number_of_threads> handles;
  bool ended_when_joined = false;
  in_a_run([&] {
    std::vector<std::thread> threads;
    for (int i = 0; i < number_of_threads; ++i) {
      threads.emplace_back([i, &seen = all[static_cast<std::size_t>(i)]] { live(i + 1, seen); });
      handles[static_cast<std::size_t>(i)] = threads.back().get_id();
    }
    for (std::thread& thread : threads) thread.join();
    ended_when_joined = ended.size() == number_of_threads;
  });
  for (int i = 0; i < number_of_threads; ++i) {
    const Seen& seen = all[static_cast<std::size_t>(i)];
    EXPECT_TRUE(seen.unwinding_alone);
    EXPECT_EQ(seen.caught, i + 1);
    EXPECT_EQ(seen.rethrown, i + 1);
    EXPECT_EQ(seen.in_errno, i + 1);
    EXPECT_EQ(seen.changed, 7 + i + 1);
    EXPECT_EQ(seen.made_once, 5);
    EXPECT_EQ(seen.id, handles[static_cast<std::size_t>(i)]);
    EXPECT_NE(seen.id, handles[static_cast<std::size_t>((i + 1) % number_of_threads)]);
    EXPECT_EQ(std::count(ended.begin(), ended.end(), i + 1), 1);
  }
  EXPECT_TRUE(ended_when_joined);
}

TEST(SimulatedThreadsDeathTest, RefuseMutexesThatKnowTheirOwner) {
  const auto lock = [] {
    in_a_run([] {
      std::recursive_mutex mutex;
      mutex.lock();
    });
  };
  EXPECT_EXIT(lock(), testing::ExitedWithCode(code_of_failure), "mutex: recursive ones");
}

}  // namespace
}  // namespace halocline::simulation
