// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <thread>

#include "device/host.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Injects the faults that the test sets, and counts operations.
class Script final : public Injector {
 public:
  Injection before(Operation operation, int device) override {
    const std::lock_guard held(mutex);
    ++counts[operation];
    const auto found = script.find({operation, device});
    return found == script.end() ? Injection{} : found->second;
  }
  void set(Operation operation, int device, Injection injection) {
    const std::lock_guard held(mutex);
    script[{operation, device}] = std::move(injection);
  }
  double slowdown(int device) override { return device == 1 ? slow.load() : 1; }
  int count(Operation operation) {
    const std::lock_guard held(mutex);
    return counts[operation];
  }

  std::atomic<double> slow{1};  ///< launches on device 1

 private:
  std::mutex mutex;
  std::map<std::pair<Operation, int>, Injection> script;
  std::map<Operation, int> counts;
};

class HostInjection : public ::testing::Test {
 protected:
  HostInjection() {
    options.devices = 2;
    options.workers = 1;
    options.clock = &clock;
    options.injector = script;
    backend = make_host_backend(options);
  }
  ManualClock clock;
  std::shared_ptr<Script> script = std::make_shared<Script>();
  HostOptions options;
  std::shared_ptr<Backend> backend;
};

TEST_F(HostInjection, ADelayParksItsQueueByTheClockAndNoOther) {
  script->set(Operation::launch, 0, {hours(5), {}});
  const auto slow = backend->create_stream(0);
  const auto quick = backend->create_stream(1);
  std::atomic<bool> ran{false};
  slow->launch(Box::of_extent({1, 1, 1}), [&](const Box&) { ran = true; });
  for (int i = 0; i < 10; ++i) {
    quick->launch(Box::of_extent({1, 1, 1}), [](const Box&) {});
    quick->synchronize();
    clock.advance(milliseconds(1));
  }
  EXPECT_FALSE(ran);
  EXPECT_FALSE(slow->query());
  clock.advance(hours(6));
  slow->synchronize();
  EXPECT_TRUE(ran);
}

TEST_F(HostInjection, ASlowDeviceTakesSoManyTimesAsLongForALaunch) {
  script->slow = 3;
  const auto launch = [this](int device) {
    const auto stream = backend->create_stream(device);
    const auto begun = backend->create_event(device, Timing::on);
    const auto ended = backend->create_event(device, Timing::on);
    stream->record(*begun);
    stream->launch(Box::of_extent({1, 1, 1}), [this](const Box&) { clock.advance(hours(1)); });
    stream->record(*ended);
    if (device == 1) {
      EXPECT_FALSE(backend->wait_until([&] { return stream->query(); }, {Clock::steady(), milliseconds(20)}));
      clock.advance(hours(2));
    }
    stream->synchronize();
    return ended->since(*begun);
  };
  EXPECT_EQ(launch(0), hours(1));
  EXPECT_EQ(launch(1), hours(3));
}

TEST_F(HostInjection, ADelayBeginsWhenTheOperationIsTheFirst) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  script->set(Operation::copy, 0, {hours(1), {}});
  const auto stream = backend->create_stream(0);
  const auto event = backend->create_event(0);
  std::byte a[8]{};
  std::byte b[8]{};
  wait_for(*stream, &at.one, &at.flags[0], 1, guard("first", hours(100)));
  stream->record(*event);
  stream->copy(b, a, 8);
  clock.advance(hours(2));
  const auto other = backend->create_stream(1);
  signal_to(*other, &at.one, &at.flags[0], 1);
  ASSERT_TRUE(backend->wait_until([&] { return event->query(); }, patience()));
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(stream->query());
  clock.advance(hours(2));
  stream->synchronize();
}

TEST_F(HostInjection, ADeadlineIsMeasuredByTheClock) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  wait_for(*stream, &at.one, &at.flags[0], 1, guard("pair", std::chrono::seconds(90)));
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(stream->query());
  clock.advance(std::chrono::seconds(91));
  EXPECT_EQ(failure(*stream), "deadline: pair: not there after 91 s at epoch 1 (the flag is at 0)");
}

TEST_F(HostInjection, AFailureIsTheOperationsOwn) {
  script->set(Operation::signal, 1, {{}, "lost"});
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(1);
  signal_to(*stream, &at.one, &at.flags[0], 1);
  EXPECT_EQ(failure(*stream), "device: lost");
  EXPECT_EQ(at.flags[0].epoch, 0u);

  script->set(Operation::allocate, 0, {{}, "full"});
  EXPECT_EQ(thrown([&] { (void)backend->allocate(0, 8); }), "resource: full");
  EXPECT_EQ(thrown([&] { (void)backend->allocate_shareable(0, 8); }), "resource: full");
  script->set(Operation::allocate, -1, {{}, "no pinned"});
  EXPECT_EQ(thrown([&] { (void)backend->allocate_pinned(8); }), "resource: no pinned");
  script->set(Operation::map_memory, 0, {{}, "refused"});
  EXPECT_EQ(thrown([&] { (void)backend->map(0, memory->handle()); }), "capability: refused");
  script->set(Operation::export_memory, 0, {{}, "no handles"});
  EXPECT_EQ(thrown([&] { (void)memory->handle(); }), "capability: no handles");
}

TEST_F(HostInjection, AFailedRecordFailsTheEvent) {
  script->set(Operation::record, 0, {{}, "broken mark"});
  const auto stream = backend->create_stream(0);
  const auto event = backend->create_event(0);
  const auto waiting = backend->create_stream(1);
  stream->record(*event);
  waiting->wait(*event);
  EXPECT_EQ(failure(*waiting), "device: broken mark");
}

TEST_F(HostInjection, EachOperationIsAskedForOnceAndForEachLaunchOfItsGraph) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  const int before = script->count(Operation::advance);
  for (int i = 0; i < 3; ++i) stream->advance(&at.epoch);
  stream->synchronize();
  EXPECT_EQ(script->count(Operation::advance), before + 3);
  stream->begin_capture();
  stream->advance(&at.epoch);
  const auto graph = stream->end_capture();
  EXPECT_EQ(script->count(Operation::advance), before + 3);
  for (int i = 0; i < 4; ++i) stream->launch(*graph);
  stream->synchronize();
  EXPECT_EQ(script->count(Operation::advance), before + 7);
  EXPECT_EQ(script->count(Operation::graph), 4);
}

}  // namespace
}  // namespace halocline::device::test
