// SPDX-License-Identifier: BSD-3-Clause
// What launch threads guarantee in addition to the contract of all backends.
#include "device/launch_threads.hpp"
#include "device/host.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <set>
#include <thread>

#include "halocline/error.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

using ::testing::HasSubstr;

/// Delays every second record and every second wait for an event, so that the devices drift apart.
class Uneven : public Injector {
 public:
  Injection before(Operation operation, int device) override {
    Injection injection;
    if (operation == Operation::host_function && device == 0) injection.delay = std::chrono::microseconds(100);
    return injection;
  }
};

std::shared_ptr<Backend> launched(int devices, std::shared_ptr<Injector> injector = nullptr) {
  HostOptions options;
  options.devices = devices;
  options.injector = std::move(injector);
  return with_launch_threads(make_host_backend(options));
}

TEST(LaunchThreads, EachDeviceHasOneOfItsOwn) {
  const auto backend = launched(3);
  std::array<std::set<std::thread::id>, 3> seen;
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < 6; ++i) {
    streams.push_back(backend->create_stream(i % 3));
    for (int call = 0; call < 10; ++call) {
      streams.back()->enqueue(
          [&, i](Stream&) { seen[static_cast<std::size_t>(i % 3)].insert(std::this_thread::get_id()); });
    }
  }
  for (const auto& stream : streams) stream->synchronize();
  std::set<std::thread::id> all{std::this_thread::get_id()};
  for (const auto& of_device : seen) {
    EXPECT_EQ(of_device.size(), 1u);
    all.insert(of_device.begin(), of_device.end());
  }
  EXPECT_EQ(all.size(), 4u);
}

TEST(LaunchThreads, WorkIsEnqueuedInTheOrderOfCalls) {
  const auto backend = launched(1);
  const auto stream = backend->create_stream(0);
  std::vector<int> order;
  for (int i = 0; i < 300; i += 3) {
    stream->host_function([&order, i] { order.push_back(i); });
    stream->enqueue([&order, i](Stream& at) { at.host_function([&order, i] { order.push_back(i + 1); }); });
    stream->launch({{}, {1, 1, 1}}, [&order, i](const Box&) { order.push_back(i + 2); });
  }
  stream->synchronize();
  ASSERT_EQ(order.size(), 300u);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(LaunchThreads, AnEventThatIsRecordedAgainAndAgainOrdersEachRoundOfTwoDevices) {
  const auto backend = launched(2, std::make_shared<Uneven>());
  const auto left = backend->create_stream(0);
  const auto right = backend->create_stream(1);
  const auto there = backend->create_event(0);
  const auto back = backend->create_event(1);
  int value = 0;  // written and read by both devices alternately
  int wrong = 0;
  for (int round = 0; round < 200; ++round) {
    left->host_function([&, round] { wrong += value++ == 2 * round ? 0 : 1; });
    left->record(*there);
    right->wait(*there);
    right->host_function([&, round] { wrong += value++ == 2 * round + 1 ? 0 : 1; });
    right->record(*back);
    left->wait(*back);
  }
  left->synchronize();
  right->synchronize();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(value, 400);
}

TEST(LaunchThreads, AMarkIsNotMadeAgainBeforeAnotherDevicesWaitForItIsPlaced) {
  // The second record is ordered, by a flag, after the wait for the first record: if the wait used the second record,
  // both streams would deadlock.
  const auto backend = launched(2);
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto source = backend->create_stream(0);
  const auto waiting = backend->create_stream(1);
  const auto mark = backend->create_event(0);
  std::vector<std::string> order;  // the order within one stream, enforced by flags
  waiting->enqueue([](Stream&) { std::this_thread::sleep_for(std::chrono::milliseconds(30)); });
  source->record(*mark);
  waiting->wait(*mark);
  waiting->host_function([&] { order.emplace_back("behind the first mark"); });
  signal_to(*waiting, &at.one, &at.flags[0], 7);
  wait_for(*source, &at.one, &at.flags[0], 7, guard("between the marks", std::chrono::seconds(2)));
  source->host_function([&] { order.emplace_back("before the second"); });
  source->record(*mark);
  EXPECT_NO_THROW(source->synchronize());
  EXPECT_NO_THROW(waiting->synchronize());
  EXPECT_THAT(order, testing::ElementsAre("behind the first mark", "before the second"));
}

TEST(LaunchThreads, AGraphMayBeDestroyedBeforeItsLaunchIsCarriedOut) {
  const auto backend = launched(1);
  const auto stream = backend->create_stream(0);
  std::atomic<int> runs = 0;
  stream->begin_capture();
  stream->host_function([&] { ++runs; });
  std::unique_ptr<Graph> graph = stream->end_capture();
  stream->launch(*graph);
  stream->synchronize();  // a graph that has run before
  std::promise<void> destroyed;
  stream->enqueue([&, gate = destroyed.get_future().share()](Stream&) { gate.wait(); });
  stream->launch(*graph);
  graph.reset();
  destroyed.set_value();
  stream->synchronize();
  EXPECT_EQ(runs, 2);
}

TEST(LaunchThreads, WhatALaunchThrowsIsTheStreamsError) {
  const auto backend = launched(2);
  const auto stream = backend->create_stream(0);
  const auto other = backend->create_stream(1);
  const auto mark = backend->create_event(0);
  bool ran = false;
  std::promise<void> all_called;
  stream->enqueue([all = all_called.get_future().share()](Stream&) {
    all.wait();
    throw DeviceError("no such kernel");
  });
  stream->host_function([&ran] { ran = true; });
  stream->record(*mark);
  other->wait(*mark);
  other->host_function([&ran] { ran = true; });
  all_called.set_value();
  EXPECT_THAT(thrown([&] { stream->synchronize(); }), HasSubstr("device: no such kernel"));
  EXPECT_THAT(thrown([&] { stream->raise_failure(); }), HasSubstr("no such kernel"));
  EXPECT_THAT(thrown([&] { other->synchronize(); }), HasSubstr("no such kernel"));
  EXPECT_THAT(thrown([&] { (void)mark->query(); }), HasSubstr("no such kernel"));
  EXPECT_FALSE(ran);
}

TEST(LaunchThreads, WrongFlagsAreAnErrorOfTheCall) {
  const auto backend = launched(1);
  const auto stream = backend->create_stream(0);
  const std::uint64_t epoch = 1;
  EXPECT_THROW(stream->wait(&epoch, std::array{FlagWait{}}), InvalidArgument);
  EXPECT_THROW(stream->signal(&epoch, std::array{FlagSignal{}}), InvalidArgument);
  EXPECT_NO_THROW(stream->synchronize()) << "nothing was enqueued";
}

TEST(LaunchThreads, RefuseStreamsThatOthersLaunchIn) {
  const auto backend = launched(1);
  EXPECT_THAT(thrown([&] { (void)backend->borrow_stream(0, nullptr); }),
              HasSubstr("capability: a thread launches each device's work"));
}

}  // namespace
}  // namespace halocline::device::test
