// SPDX-License-Identifier: BSD-3-Clause
// The state of a backend after its work has failed.
#include <gmock/gmock.h>

#include <thread>

#include "device/cuda_backend.hpp"
#include "gpu/device/gpus.hpp"

namespace halocline::device::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class GpuFailures : public TwoGpus {};

/// The failing kernel stops the other GPU itself: no further work is signalled before the host detects the failure.
TEST_F(GpuFailures, NothingRunsBehindAFailureOnAnyDevice) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto failing = backend->create_stream(0);
  const auto other = backend->create_stream(1);
  const auto event = backend->create_event(0);
  const auto source = backend->allocate(1, 64);
  const auto target = backend->allocate(1, 64);
  write(source->data(), std::vector<std::byte>(64, std::byte{1}));
  write(target->data(), std::vector<std::byte>(64, std::byte{2}));
  const StridedCopy copy{source->data(), target->data(), {8, 0, 0}, {8, 0, 0}, {8, 1, 1}, 8};
  const auto list = backend->prepare(1, {&copy, 1});
  wait_for(*failing, &at.one, &at.flags[0], 1, guard("late", std::chrono::milliseconds(100)));
  failing->record(*event);
  other->wait(*event);
  other->copy(*list);
  other->copy(copy);
  signal_to(*other, &at.one, &at.flags[1], 1);
  other->advance(&at.epoch);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the host does not poll
  EXPECT_EQ(read(target->data(), 64), std::vector<std::byte>(64, std::byte{2}));
  EXPECT_EQ(read(&at.flags[1].epoch), 0u);
  EXPECT_EQ(read(&at.epoch), 0u);
  const std::string text = failure(*other);
  EXPECT_THAT(text, StartsWith("deadline: late: not there after 0.1"));
  EXPECT_EQ(failure(*failing), text);
  EXPECT_EQ(thrown([&] { other->copy(copy); }), text);
  EXPECT_EQ(thrown([&] { other->record(*backend->create_event(1)); }), text);
}

/// Without peer access, a wait for an event of the failed device reads its failure record.
TEST_F(GpuFailures, NothingRunsBehindAFailureWithoutPeerAccess) {
  CudaOptions options;
  options.devices = {0, 1};
  options.peer_access = [](int, int) { return false; };
  const auto apart = make_cuda_backend(options);
  EXPECT_EQ(apart->peer_access(0, 1).why_not, "the peer-access option says no from GPU 0 to 1");
  const auto memory = make_page(*apart, 0);
  const auto counter = make_page(*apart, 1);
  FlagPage& at = page(*memory);
  const auto failing = apart->create_stream(0);
  const auto other = apart->create_stream(1);
  const auto event = apart->create_event(0);
  wait_for(*failing, &at.one, &at.flags[0], 1, guard("late", std::chrono::milliseconds(100)));
  failing->record(*event);
  other->wait(*event);
  other->advance(&page(*counter).epoch);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(read(&page(*counter).epoch), 0u);
  EXPECT_THAT(failure(*other), StartsWith("deadline: late: "));
}

/// A wait on another device that will not be signalled ends soon, not at its deadline.
TEST_F(GpuFailures, WaitsOfOtherStreamsEnd) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto failing = backend->create_stream(0);
  const auto waiting = backend->create_stream(1);
  wait_for(*waiting, &at.one, &at.flags[1], 1, guard("long", std::chrono::seconds(100)));
  wait_for(*failing, &at.one, &at.flags[0], 1, guard("short", std::chrono::milliseconds(50)));
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_THAT(failure(*waiting), StartsWith("deadline: short: "));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

/// For recordings: neither the wait nor the failure of a device is in the way.
TEST_F(GpuFailures, WordsAreReadWhileAStreamWaitsAndAfterItHasFailed) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  const auto reader = backend->make_word_reader(0, {&at.one, &at.flags[0].epoch});
  wait_for(*stream, &at.one, &at.flags[0], 1, guard("late", std::chrono::seconds(1)));
  const std::vector<std::uint64_t> expected{1, 0};
  std::string why_not;
  EXPECT_EQ(reader->read(std::chrono::milliseconds(500), why_not), expected) << why_not;
  EXPECT_THAT(failure(*stream), StartsWith("deadline: late: "));
  EXPECT_EQ(reader->read(std::chrono::milliseconds(500), why_not), expected) << why_not;
}

TEST_F(GpuFailures, OtherBackendsOfTheProcessGoOn) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto failing = backend->create_stream(0);
  wait_for(*failing, &at.one, &at.flags[0], 1, guard("late", std::chrono::milliseconds(20)));
  EXPECT_THAT(failure(*failing), StartsWith("deadline: "));
  const auto fresh = make();
  const auto stream = fresh->create_stream(0);
  stream->advance(&at.epoch);
  stream->synchronize();
  EXPECT_EQ(read(&at.epoch), 1u);
}

TEST_F(GpuFailures, WhatAHostFunctionThrowsStopsWhatFollows) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  stream->host_function([] { throw CommunicationError("the peer is gone"); });
  stream->advance(&at.epoch);
  int called = 0;
  stream->host_function([&] { ++called; });
  EXPECT_EQ(failure(*stream), "communication: the peer is gone");
  EXPECT_EQ(read(&at.epoch), 0u);
  EXPECT_EQ(called, 0);

  const auto another = make();
  const auto second = another->create_stream(0);
  second->host_function([] { throw std::runtime_error("lane"); });
  EXPECT_THAT(failure(*second), AllOf(StartsWith("device: "), HasSubstr("threw: lane")));
}

/// Many waits at once, more than fit into one kernel's parameters; the error names the first late one.
TEST_F(GpuFailures, ALongListOfWaitsNamesTheOneThatIsLate) {
  const auto memory = backend->allocate_shareable(0, 300 * sizeof(Flag) + sizeof(FlagPage));
  auto* flags = reinterpret_cast<Flag*>(memory->data());
  auto* epoch = reinterpret_cast<std::uint64_t*>(flags + 300);
  const auto stream = backend->create_stream(0);
  const auto other = backend->create_stream(1);
  std::vector<FlagSignal> signals;
  std::vector<FlagWait> waits;
  for (int i = 0; i < 300; ++i) {
    const auto token = static_cast<std::uint64_t>(i);
    waits.push_back({flags + i, token, guard("wait " + std::to_string(i), std::chrono::milliseconds(200)), nullptr});
    if (i != 217) signals.push_back({flags + i, token});
  }
  other->advance(epoch, signals);
  other->synchronize();
  EXPECT_EQ(read(epoch), 1u);
  stream->wait(epoch, waits);
  EXPECT_THAT(failure(*stream), AllOf(StartsWith("deadline: wait 217: "), HasSubstr("(the flag is at 0)")));
}

TEST_F(GpuFailures, ADestroyedStreamDoesNotHoldUpItsBackend) {
  auto doomed = make();
  const auto memory = make_page(*backend);
  const auto begun = std::chrono::steady_clock::now();
  auto stream = doomed->create_stream(0);
  wait_for(*stream, &page(*memory).one, &page(*memory).flags[0], 1, guard("never", std::chrono::seconds(100)));
  stream.reset();
  doomed.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

}  // namespace
}  // namespace halocline::device::test
