// SPDX-License-Identifier: BSD-3-Clause
// Workers: what they leave to threads that wait, what wakes them from rest, and that they end.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "core/clock.hpp"
#include "device/host.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

using std::chrono::milliseconds;

/// Fewer cores than ranks: a worker takes only what no waiting thread takes, and rests after some time without work.
HostOptions crowded() {
  HostOptions options;
  options.ranks_on_node = 1 << 20;
  return options;
}

/// A worker takes all work at once, except short functions while a thread waits.
HostOptions with_own_core() {
  HostOptions options;
  options.workers = 1;
  return options;
}

/// Longer than it takes a worker to come to rest: 50 naps of a millisecond.
void let_workers_rest() { std::this_thread::sleep_for(milliseconds(200)); }

TEST(HostWorkers, TakeWorkForWhichNobodyWaits) {
  const auto backend = make_host_backend(crowded());
  const auto stream = backend->create_stream(0);
  std::atomic<int> done{0};
  for (int i = 1; i <= 2; ++i) {
    stream->host_function([&] { ++done; });
    const Deadline deadline = patience();
    while (done < i && !deadline.expired()) std::this_thread::sleep_for(milliseconds(1));
    ASSERT_EQ(done, i) << "nobody has run it";
    let_workers_rest();
  }
}

/// The worker comes to rest while the thread that waits runs an operation: no queue has work for it then.
TEST(HostWorkers, TakeWorkThatAWaitingThreadLeaves) {
  const auto backend = make_host_backend(crowded());
  const auto stream = backend->create_stream(0);
  std::atomic<bool> first{false};
  std::atomic<bool> second{false};
  stream->host_function([&] {
    let_workers_rest();
    first = true;
  });
  stream->host_function([] { std::this_thread::sleep_for(milliseconds(1)); });  // longer than a thread helps on
  stream->host_function([&] { second = true; });
  ASSERT_TRUE(backend->wait_until([&] { return first.load(); }, patience()));
  const Deadline deadline = patience();
  while (!second && !deadline.expired()) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_TRUE(second) << "nobody has run it";
}

/// The first function ends when the second has run, and the thread that waits is in the first.
void expect_functions_to_meet(Backend& backend) {
  const auto waits = backend.create_stream(0);
  const auto other = backend.create_stream(0);
  std::atomic<bool> second{false};
  std::atomic<bool> met{false};
  waits->host_function([&] {
    other->host_function([&] { second = true; });
    const Deadline deadline = patience();
    while (!second && !deadline.expired()) std::this_thread::sleep_for(milliseconds(1));
    met = second.load();
  });
  waits->synchronize();
  EXPECT_TRUE(met) << "nobody has run the other function";
  other->synchronize();
}

TEST(HostWorkers, TakeWorkWhileAWaitingThreadIsInOneFunction) {
  for (const HostOptions& options : {crowded(), with_own_core()}) {
    const auto backend = make_host_backend(options);
    const auto stream = backend->create_stream(0);
    // Until functions are short.
    for (const Deadline deadline(Clock::steady(), milliseconds(20)); !deadline.expired();) {
      stream->host_function([] {});
      stream->synchronize();
    }
    for (int i = 0; i < 20 && !testing::Test::HasFailure(); ++i) expect_functions_to_meet(*backend);
  }
}

/// If the worker were not woken, this would not return.
TEST(HostWorkers, EndWhileTheyRest) {
  auto backend = make_host_backend(crowded());
  let_workers_rest();
  backend.reset();
}

/// One worker with a core of its own, and a thread that waits for each step of two streams.
class SharedSteps {
 public:
  explicit SharedSteps(std::function<void()> function) : function_(std::move(function)) {
    const Deadline end(Clock::steady(), milliseconds(50));  // longer than it takes to notice how long functions are
    while (!end.expired()) step();
    own_ = others_ = 0;
  }
  void start() {
    for (Stream* stream : {first_.get(), second_.get()}) {
      stream->host_function([this] {
        ++(std::this_thread::get_id() == me_ ? own_ : others_);
        function_();
      });
    }
  }
  void step() {
    start();
    for (Stream* stream : {first_.get(), second_.get()}) stream->synchronize();
  }
  [[nodiscard]] int own() const { return own_; }
  [[nodiscard]] int others() const { return others_; }

 private:
  const std::thread::id me_ = std::this_thread::get_id();
  const std::function<void()> function_;
  std::atomic<int> own_{0};
  std::atomic<int> others_{0};
  const std::shared_ptr<Backend> backend_ = make_host_backend(with_own_core());
  const std::unique_ptr<Stream> first_ = backend_->create_stream(0);
  const std::unique_ptr<Stream> second_ = backend_->create_stream(0);
};

void be_busy() {
  const Deadline deadline(Clock::steady(), std::chrono::microseconds(20));
  while (!deadline.expired()) {
  }
}

/// The best of several times: a thread that has lost its core seems to run long functions, and leaves others.
TEST(HostWorkers, LeaveShortFunctionsToTheThreadThatWaits) {
  SharedSteps steps(be_busy);
  int most = 0;
  for (const Deadline deadline = patience(); most <= 1800 && !deadline.expired();) {
    const int before = steps.own();
    for (int i = 0; i < 1000; ++i) steps.step();
    most = std::max(most, steps.own() - before);
  }
  EXPECT_GT(most, 1800) << "of 2000";
}

TEST(HostWorkers, TakeShortFunctionsForWhichNoThreadWaits) {
  SharedSteps steps(be_busy);
  steps.start();
  const Deadline deadline = patience();
  while (steps.others() < 2 && !deadline.expired()) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(steps.others(), 2);
}

TEST(HostWorkers, TakeLongFunctionsAtOnce) {
  SharedSteps steps([] { std::this_thread::sleep_for(milliseconds(1)); });
  for (int i = 0; i < 20; ++i) steps.step();
  EXPECT_GE(steps.others(), 15);
}

/// The least of several times, as other work on the machine may delay some. A worker without work looks at the machine every 100 ms.
TEST(HostWorkers, EndAtOnceWhileTheySleep) {
  Duration least = Duration::max();
  for (int i = 0; i < 10; ++i) {
    auto backend = make_host_backend(with_own_core());
    std::this_thread::sleep_for(milliseconds(5));
    const Duration begin = Clock::steady().now();
    backend.reset();
    least = std::min(least, Clock::steady().now() - begin);
  }
  EXPECT_LT(least, milliseconds(40));
}

}  // namespace
}  // namespace halocline::device::test
