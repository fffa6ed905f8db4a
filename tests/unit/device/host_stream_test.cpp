// SPDX-License-Identifier: BSD-3-Clause
// What the host backend has beyond the contract: host functions, errors, streams that are destroyed early, and
// resources.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "core/clock.hpp"
#include "device/host.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

std::size_t threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(HostStream, ALaunchCoversItsBox) {
  const auto backend = make_host(1, 1);
  const auto stream = backend->create_stream(0);
  const Box box{{-2, 3, 1}, {5, 9, 4}};
  std::vector<int> visits(static_cast<std::size_t>(box.volume()), 0);
  stream->launch(box, [&](const Box& part) {
    for_each_cell(part, [&](const Vec3& p) {
      const Vec3 q = p - box.lo;
      ++visits[static_cast<std::size_t>((q.z * 6 + q.y) * 7 + q.x)];
    });
  });
  bool called = false;
  stream->launch(Box{{0, 0, 0}, {4, 0, 4}}, [&](const Box&) { called = true; });
  stream->synchronize();
  EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), 0), box.volume());
  EXPECT_EQ(*std::max_element(visits.begin(), visits.end()), 1);
  EXPECT_FALSE(called);
}

TEST(HostStream, AThreadThatEnqueuesForEverIsHeldBack) {
  for (const int workers : {0, 1}) {
    const auto backend = make_host(1, workers);
    const auto stream = backend->create_stream(0);
    std::atomic<std::int64_t> done = 0;
    std::int64_t most = 0;
    for (std::int64_t enqueued = 1; enqueued <= 50'000; ++enqueued) {
      stream->host_function([&] { ++done; });
      most = std::max(most, enqueued - done);
    }
    EXPECT_LE(most, 5'000) << workers << " workers";
    stream->synchronize();
    EXPECT_EQ(done, 50'000);
  }
}

TEST(HostStream, AFullStreamThatFailsLetsTheThreadGoOn) {
  const auto backend = make_host(1, 1);
  const auto stream = backend->create_stream(0);
  std::atomic<bool> fails = false;
  stream->host_function([&] {
    while (!fails) std::this_thread::yield();
    throw std::runtime_error("planted");
  });
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds(50));
    fails = true;
  });
  std::string text;
  try {
    for (int i = 0; i < 50'000; ++i) stream->host_function([] {});
  } catch (const DeviceError& error) {
    text = error.what();
  }
  later.join();
  EXPECT_THAT(text, HasSubstr("planted"));
}

TEST(HostStream, AnOperationMayEnqueueIntoItsOwnFullStream) {
  const auto backend = make_host(1, 1);
  const auto stream = backend->create_stream(0);
  std::atomic<int> done = 0;
  stream->host_function([&] {
    for (int i = 0; i < 10'000; ++i) stream->host_function([&] { ++done; });
  });
  stream->synchronize();
  EXPECT_EQ(done, 10'000);
}

TEST(HostStream, StreamsOfOneDeviceRunAtTheSameTimeOnTwoWorkers) {
  const auto backend = make_host(1, 2);
  const auto a = backend->create_stream(0);
  const auto b = backend->create_stream(0);
  std::atomic<int> there{0};
  std::atomic<int> over{0};
  std::atomic<int> met{0};
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto meet = [&] {
    ++there;
    while (there < 2 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    if (std::chrono::steady_clock::now() < until) ++met;
    ++over;
  };
  a->host_function(meet);
  b->host_function(meet);
  // Not by synchronize(), because this thread would then run one of the two functions.
  while (over < 2) std::this_thread::sleep_for(milliseconds(1));
  a->synchronize();
  b->synchronize();
  EXPECT_EQ(met, 2);
}

TEST(HostStream, AUsersExceptionBecomesADeviceError) {
  const auto backend = make_host(1, 1);
  const auto stream = backend->create_stream(0);
  bool later = false;
  stream->host_function([] { throw std::runtime_error("no such luck"); });
  try {
    stream->host_function([&] { later = true; });  // may see the failure already
  } catch (const DeviceError&) {
  }
  EXPECT_EQ(failure(*stream), "device: an operation on host device 0 threw: no such luck");
  EXPECT_FALSE(later);

  const auto another = backend->create_stream(0);
  another->host_function([] { throw ProtocolError("kept"); });
  EXPECT_EQ(failure(*another), "protocol: kept");
  const auto odd = backend->create_stream(0);
  odd->host_function([] { throw 5; });
  EXPECT_THAT(failure(*odd), HasSubstr("not a std::exception"));
}

TEST(HostStream, WhatAFunctionHoldsIsGoneWhenTheStreamIsDone) {
  const auto backend = make_host(1, 1);
  const auto stream = backend->create_stream(0);
  for (int i = 0; i < 200; ++i) {
    auto held = std::make_shared<int>(1);
    const std::weak_ptr<int> seen = held;
    stream->host_function([held = std::move(held)] {});
    stream->synchronize();
    ASSERT_TRUE(seen.expired());
  }
}

TEST(HostStream, WhatAFunctionHoldsMayUseTheBackendWhenItGoes) {
  const auto backend = make_host(1, 1);
  const auto stream = backend->create_stream(0);
  const auto event = backend->create_event(0);
  std::atomic<int> gone{0};
  for (int i = 0; i < 20; ++i) {
    const std::shared_ptr<int> held(new int(1), [&](const int* p) {
      delete p;
      (void)event->query();
      ++gone;
    });
    stream->host_function([held] {});
  }
  stream->synchronize();
  EXPECT_TRUE(backend->wait_until([&] { return gone == 20; }, patience()));
}

TEST(HostStream, ADestroyedStreamDropsWhatHasNotStartedAndWaitsForWhatRuns) {
  const auto backend = make_host(1, 1);
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  std::atomic<bool> started{false};
  std::atomic<bool> finished{false};
  std::atomic<bool> later{false};
  const auto event = backend->create_event(0);
  const auto waiting = backend->create_stream(0);
  {
    const auto stream = backend->create_stream(0);
    stream->host_function([&] {
      started = true;
      std::this_thread::sleep_for(milliseconds(20));
      finished = true;
    });
    stream->host_function([&] { later = true; });
    stream->record(*event);
    waiting->wait(*event);
    while (!started) std::this_thread::yield();
  }
  EXPECT_TRUE(finished);
  EXPECT_FALSE(later);
  EXPECT_EQ(failure(*waiting), "device: the stream was destroyed before this was run");
  {
    const auto parked = backend->create_stream(0);
    wait_for(*parked, &at.one, &at.flags[0], 1, guard("for ever"));
    std::this_thread::sleep_for(milliseconds(5));
  }  // does not hang
}

TEST(HostStream, StreamsMayOutliveTheirBackend) {
  auto backend = make_host(2, 2);
  auto stream = backend->create_stream(0);
  auto buffer = backend->allocate_shareable(0, 64);
  auto event = backend->create_event(1);
  stream->record(*event);
  backend.reset();
  int value = 0;
  stream->host_function([&] { value = 3; });
  stream->synchronize();  // run by the calling thread
  EXPECT_EQ(value, 3);
}

TEST(HostStream, ObjectsOfAnotherBackendAreRefused) {
  const auto one = make_host(1, 1);
  const auto two = make_host(1, 1);
  const auto stream = one->create_stream(0);
  const auto event = two->create_event(0);
  EXPECT_EQ(thrown([&] { stream->record(*event); }),
            "invalid argument: the event belongs to another backend than the stream");
  EXPECT_THAT(thrown([&] { stream->wait(*event); }), HasSubstr("another backend"));
  EXPECT_THAT(thrown([&] { stream->advance(nullptr); }), HasSubstr("the epoch is null"));
  const std::uint64_t epoch = 1;
  const FlagWait wait{};
  EXPECT_THAT(thrown([&] { stream->wait(&epoch, {&wait, 1}); }), HasSubstr("flag to wait for is null"));
  const FlagSignal signal{reinterpret_cast<Flag*>(std::uintptr_t{8}), 0};
  EXPECT_THAT(thrown([&] { stream->signal(&epoch, {&signal, 1}); }), HasSubstr("allowed are multiples of 64 bytes"));
}

TEST(HostStream, ParkedStreamsOccupyNoThreads) {
  const std::size_t before = threads();
  HostOptions options;
  options.devices = 32;
  options.workers = 2;
  const auto backend = make_host_backend(options);
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  std::vector<std::unique_ptr<Stream>> streams;
  std::atomic<int> passed{0};
  for (int device = 0; device < 32; ++device) {
    for (int i = 0; i < 10; ++i) {
      streams.push_back(backend->create_stream(device));
      wait_for(*streams.back(), &at.one, &at.flags[0], 9, guard("all"));
      streams.back()->host_function([&] { ++passed; });
    }
  }
  EXPECT_EQ(threads(), before + 2);
  EXPECT_EQ(passed, 0);
  const auto releaser = backend->create_stream(0);
  signal_to(*releaser, &at.one, &at.flags[0], 9);
  for (const auto& stream : streams) stream->synchronize();
  EXPECT_EQ(passed, 320);
}

TEST(HostStream, TheNumberOfWorkersFollowsDevicesAndRanks) {
  const std::size_t before = threads();
  HostOptions options;
  options.devices = 64;
  options.ranks_on_node = 1 << 20;
  const auto crowded = make_host_backend(options);
  EXPECT_EQ(threads(), before + 1);
  options.ranks_on_node = 1;
  options.devices = 1;
  const auto small = make_host_backend(options);
  EXPECT_EQ(threads(), before + 2);
}

TEST(HostStream, ABusyQueueDoesNotHoldUpOneWhoseFlagArrives) {
  const auto backend = make_host(1, 1);
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto busy = backend->create_stream(0);
  const auto parked = backend->create_stream(0);
  std::atomic<int> ran{0};
  int ran_before = -1;
  wait_for(*parked, &at.one, &at.flags[0], 0, guard("flag"));
  parked->host_function([&] { ran_before = ran; });
  for (int i = 0; i < 300; ++i) {
    busy->host_function([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      ++ran;
    });
  }
  std::this_thread::sleep_for(milliseconds(10));
  // A store without a ring: the timer finds it, and must fire even though the other queue always has work.
  std::atomic_ref<std::uint64_t>(at.flags[0].epoch).store(1, std::memory_order_release);
  while (ran < 300) std::this_thread::sleep_for(milliseconds(1));  // this thread must not help, as synchronize() would
  parked->synchronize();
  EXPECT_GE(ran_before, 0);
  EXPECT_LT(ran_before, 250);
}

}  // namespace
}  // namespace halocline::device::test
