// SPDX-License-Identifier: BSD-3-Clause
// Each kind of work through launch threads: the same results, order and refusals as without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "device/host.hpp"
#include "device/launch_threads.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<Backend> with_threads(int devices) {
  HostOptions options;
  options.devices = devices;
  return with_launch_threads(make_host_backend(options));
}

template <typename T>
std::byte* bytes_at(T& value) {
  return reinterpret_cast<std::byte*>(&value);
}

/// One double from `source` to `target`.
StridedCopy copy_of(double& target, const double& source) {
  StridedCopy copy;
  copy.source = reinterpret_cast<const std::byte*>(&source);
  copy.target = bytes_at(target);
  copy.source_stride = copy.target_stride = {8, 8, 8};
  copy.extent = {1, 1, 1};
  copy.element_bytes = 8;
  return copy;
}

TEST(LaunchThreadsWork, SumsAndReductionsRunInTheOrderOfCalls) {
  const auto backend = with_threads(1);
  const auto stream = backend->create_stream(0);
  std::array<double, 3> values{1, 2, 4};
  double sum = 0;
  const StridedSum add{.target = bytes_at(values[0]),
                       .target_stride = {8, 8, 8},
                       .extent = {1, 1, 1},
                       .element = Element::f64,
                       .terms = {{bytes_at(values[1]), {8, 8, 8}}, {bytes_at(values[2]), {8, 8, 8}}}};
  const StridedReduction reduce{Reduce::sum, &sum, {bytes_at(values[0])}, {8, 24, 24}, {3, 1, 1}, Element::f64};
  const auto sums = backend->prepare_sums(0, {&add, 1});
  const auto reductions = backend->prepare_reductions(0, {&reduce, 1});
  for (int round = 0; round < 3; ++round) {
    stream->add(*sums);
    stream->reduce(*reductions);
  }
  stream->synchronize();
  EXPECT_THAT(values, ElementsAre(1 + 3 * 6, 2, 4)) << "each time the terms are added to the target";
  EXPECT_EQ(sum, 19 + 2 + 4) << "the reduction comes after the sum";
}

TEST(LaunchThreadsWork, CopiesInTurnAreChosenByTheEpochWhenTheyRun) {
  const auto backend = with_threads(1);
  const auto stream = backend->create_stream(0);
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  double target = 0;
  const double even = 2;
  const double odd = 1;
  const StridedCopy of_even = copy_of(target, even);
  const StridedCopy of_odd = copy_of(target, odd);
  const auto first = backend->prepare(0, {&of_even, 1});
  const auto second = backend->prepare(0, {&of_odd, 1});
  std::vector<double> seen;
  for (int round = 0; round < 4; ++round) {
    stream->copy_in_turn(&at.epoch, {first.get(), second.get()});
    stream->host_function([&] { seen.push_back(target); });
    stream->advance(&at.epoch);
  }
  stream->synchronize();
  EXPECT_THAT(seen, ElementsAre(2, 1, 2, 1));
  EXPECT_EQ(thrown([&] {
              stream->copy_in_turn(nullptr, {first.get(), second.get()});
            }).substr(0, 17),
            "invalid argument:");
}

TEST(LaunchThreadsWork, NativeWaitsUntilEarlierCallsAreEnqueued) {
  const auto backend = with_threads(1);
  const auto stream = backend->create_stream(0);
  std::atomic<bool> enqueued = false;
  stream->enqueue([&](Stream&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    enqueued = true;
  });
  EXPECT_EQ(stream->native(), nullptr) << "host devices have no handle";
  EXPECT_TRUE(enqueued);
  stream->synchronize();
}

TEST(LaunchThreadsWork, AnEventOfAnotherDeviceOrBackendIsRefused) {
  const auto backend = with_threads(2);
  const auto stream = backend->create_stream(0);
  const auto other = backend->create_event(1);
  EXPECT_EQ(thrown([&] { stream->record(*other); }),
            "invalid argument: the event belongs to device 1; allowed is the stream's, 0");
  const auto foreign = make_host_backend({})->create_event(0);
  const std::string refusal = "invalid argument: the event belongs to another backend than the stream";
  EXPECT_EQ(thrown([&] { stream->record(*foreign); }), refusal);
  EXPECT_EQ(thrown([&] { stream->wait(*foreign); }), refusal);
  EXPECT_EQ(failure(*stream), "");
}

TEST(LaunchThreadsWork, AGraphOfAnotherBackendIsRefused) {
  const auto plain = make_host_backend({});
  const auto of_plain = plain->create_stream(0);
  of_plain->begin_capture();
  const auto graph = of_plain->end_capture();
  const auto backend = with_threads(1);
  const auto stream = backend->create_stream(0);
  EXPECT_EQ(thrown([&] { stream->launch(*graph); }),
            "invalid argument: the graph belongs to another backend than the stream");
  EXPECT_EQ(failure(*stream), "");
}

/// As many captures are counted as have begun: afterwards threads launch again.
TEST(LaunchThreadsWork, CapturesThatFailLeaveTheThreadsInCharge) {
  const auto backend = with_threads(1);
  const auto stream = backend->create_stream(0);
  const auto launched_here = [&] {
    std::thread::id launcher;
    stream->enqueue([&](Stream&) { launcher = std::this_thread::get_id(); });
    stream->synchronize();
    return launcher == std::this_thread::get_id();
  };
  EXPECT_THAT(thrown([&] { static_cast<void>(stream->end_capture()); }), HasSubstr("internal: "));
  EXPECT_FALSE(launched_here());
  stream->begin_capture();
  EXPECT_THAT(thrown([&] { stream->begin_capture(); }), HasSubstr("internal: "));
  EXPECT_TRUE(stream->capturing());
  EXPECT_THAT(thrown([&] { static_cast<void>(stream->query()); }), HasSubstr("internal: query"))
      << "no failure of the stream";
  static_cast<void>(stream->end_capture());
  EXPECT_FALSE(stream->capturing());
  EXPECT_FALSE(launched_here());
  {
    const auto other = backend->create_stream(0);
    other->begin_capture();  // and is destroyed in it
  }
  EXPECT_FALSE(launched_here());
}

TEST(LaunchThreadsWork, AWaitInACaptureKnowsTheFailureOfItsEvent) {
  const auto backend = with_threads(1);
  const auto failed = backend->create_stream(0);
  const auto stream = backend->create_stream(0);
  const auto capturing = backend->create_stream(0);
  const auto mark = backend->create_event(0);
  failed->enqueue([](Stream&) { throw DeviceError("no such kernel"); });
  EXPECT_THAT(failure(*failed), HasSubstr("no such kernel"));
  EXPECT_THAT(thrown([&] { failed->record(*mark); }), HasSubstr("no such kernel"));
  EXPECT_THAT(thrown([&] { failed->wait(*mark); }), HasSubstr("no such kernel"));
  EXPECT_THAT(thrown([&] { static_cast<void>(failed->query()); }), HasSubstr("no such kernel"));
  std::promise<void> recorded;
  const auto late = backend->create_stream(0);
  late->enqueue([gate = recorded.get_future().share()](Stream&) {
    gate.wait();
    throw DeviceError("late failure");
  });
  late->record(*mark);
  recorded.set_value();
  EXPECT_THAT(failure(*late), HasSubstr("late failure"));
  capturing->begin_capture();
  EXPECT_THAT(thrown([&] { stream->wait(*mark); }), HasSubstr("device: late failure"));
  static_cast<void>(capturing->end_capture());
  EXPECT_THAT(failure(*stream), HasSubstr("late failure")) << "a stream that waits for it fails, too";
}

TEST(LaunchThreadsWork, WhatRunsThrowsIsKeptAndTheOldestErrorIsTheOneSeen) {
  const auto backend = with_threads(1);
  const auto stream = backend->create_stream(0);
  stream->host_function([] { throw std::runtime_error("in the function"); });
  EXPECT_THAT(failure(*stream), HasSubstr("in the function"));
  EXPECT_THAT(thrown([&] { stream->raise_failure(); }), HasSubstr("in the function"));
  EXPECT_THAT(thrown([&] { stream->host_function([] {}); }), HasSubstr("in the function"));

  const auto second = backend->create_stream(0);
  std::promise<void> launch_failed;
  second->host_function([gate = launch_failed.get_future().share()] {
    gate.wait();
    throw std::runtime_error("later");
  });
  second->enqueue([](Stream&) { throw DeviceError("earlier"); });
  // Not by wait_until(), which might run the function here.
  const Deadline deadline = patience();
  while (thrown([&] { second->raise_failure(); }).empty() && !deadline.expired()) std::this_thread::yield();
  launch_failed.set_value();
  EXPECT_THAT(failure(*second), HasSubstr("device: earlier"));
}

TEST(LaunchThreadsWork, AFusedExchangeOfAnotherDeviceOrBackendIsRefused) {
  const auto backend = with_threads(2);
  const auto stream = backend->create_stream(0);
  const auto exchange = backend->fuse(1, {});
  EXPECT_EQ(thrown([&] { stream->run(*exchange); }),
            "invalid argument: the fused exchange was prepared for device 1; allowed is the stream's, 0");
  const auto other = with_threads(1);
  const auto foreign = other->fuse(0, {});
  EXPECT_EQ(thrown([&] { stream->run(*foreign); }),
            "invalid argument: the fused exchange belongs to another backend than the stream");
  EXPECT_EQ(failure(*stream), "");
}

TEST(LaunchThreadsWork, TheDevicesAreTheSameOnes) {
  HostOptions options;
  options.devices = 2;
  options.sector_bytes = 16;
  const auto inner = make_host_backend(options);
  const auto backend = with_launch_threads(inner);
  EXPECT_EQ(backend->device_count(), 2);
  EXPECT_EQ(backend->info(1).uuid, inner->info(1).uuid);
  EXPECT_EQ(backend->sector_bytes(), 16);
  EXPECT_EQ(backend->row_alignment_bytes(), inner->row_alignment_bytes());
  EXPECT_EQ(backend->prefers_graphs(), inner->prefers_graphs());
  EXPECT_EQ(backend->memory_export(0), inner->memory_export(0));
  EXPECT_EQ(backend->communicators(), inner->communicators());
  EXPECT_EQ(backend->memory_at(&options).kind, MemoryKind::host);
}

}  // namespace
}  // namespace halocline::device::test
