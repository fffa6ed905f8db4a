// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <chrono>

#include "unit/device/backend_contract.hpp"

// The contract of every backend: operations that fail. Each backend's file has its INSTANTIATE_TEST_SUITE_P.
namespace halocline::device::test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_P(BackendContract, ALateFlagIsADeadlineErrorThatSticks) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  stream->advance(&at.epoch);
  stream->advance(&at.epoch);
  wait_for(*stream, &at.epoch, &at.flags[0], 1,
           guard("subdomain 3 -> 5 (direct, ready)", std::chrono::milliseconds(20)));
  stream->advance(&at.flags[7].epoch);  // not run: the stream has failed
  const std::string text = failure(*stream);
  EXPECT_THAT(text, AllOf(StartsWith("deadline: subdomain 3 -> 5 (direct, ready): not there after 0.0"),
                          HasSubstr(" s at epoch 2 (the flag is at 0)")));
  EXPECT_EQ(failure(*stream), text);
  EXPECT_EQ(thrown([&] { (void)stream->query(); }), text);
  EXPECT_EQ(thrown([&] { stream->advance(&at.epoch); }), text);
  EXPECT_EQ(get(&at.flags[7].epoch), 0u);
}

TEST_P(BackendContract, AnotherTokenIsAProtocolError) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  stream->advance(&at.epoch);
  signal_to(*stream, &at.epoch, &at.flags[0], 0xabc);
  wait_for(*stream, &at.epoch, &at.flags[0], 0xdef, guard("subdomain 0 -> 1"));
  EXPECT_EQ(failure(*stream),
            "protocol: subdomain 0 -> 1: the two sides disagree on which fields, buffers, directions and depths are "
            "exchanged: expected "
            "epoch 1 with token 0x0000000000000def, found epoch 1 with 0x0000000000000abc");
}

TEST_P(BackendContract, AnEpochThatIsAheadIsAProtocolError) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  stream->advance(&at.epoch);
  stream->advance(&at.epoch);
  signal_to(*stream, &at.epoch, &at.flags[0], 5);
  wait_for(*stream, &at.one, &at.flags[0], 5, guard("behind"));
  EXPECT_THAT(failure(*stream), AllOf(StartsWith("protocol: behind: "), HasSubstr("expected epoch 1 with token"),
                                      HasSubstr("found epoch 2 with")));
}

TEST_P(BackendContract, ADisagreementIsToldToTheOtherSide) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto here = backend->create_stream(0);
  const auto there = backend->create_stream(1);
  wait_for(*there, &at.one, &at.flags[1], 2, guard("other side"));
  signal_to(*here, &at.one, &at.flags[0], 3);
  const FlagWait wait{&at.flags[0], 4, guard("this side"), &at.flags[1]};
  here->wait(&at.one, {&wait, 1});
  EXPECT_THAT(failure(*here), StartsWith("protocol: this side: the two sides disagree"));
  EXPECT_EQ(failure(*there),
            "protocol: other side: refused by the other side at epoch 1, because the two disagree on which fields, "
            "buffers, directions and depths are exchanged");
}

TEST_P(BackendContract, ACounterThatIsNotAsExpectedFailsTheStream) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  const CounterCheck even{&at.epoch, 2, 0, "the buffers were swapped an odd number of times"};
  EXPECT_THAT(thrown([&] {
                const CounterCheck none{&at.epoch, 0, 0, ""};
                stream->expect({&none, 1});
              }),
              StartsWith("invalid argument: the modulus"));
  stream->begin_capture();
  stream->expect({&even, 1});
  stream->advance(&at.epoch);
  const auto graph = stream->end_capture();
  stream->launch(*graph);
  stream->synchronize();
  stream->launch(*graph);  // checked at each replay
  EXPECT_EQ(failure(*stream),
            "protocol: the buffers were swapped an odd number of times (count 1 modulo 2, expected 0)");
  EXPECT_EQ(get(&at.epoch), 1u);
}

TEST_P(BackendContract, AnAbortWordEndsAWait) {
  const auto memory = make_page(*backend);
  const auto pinned = backend->allocate_pinned(sizeof(std::atomic<std::uint32_t>));
  auto* abort = new (pinned->data()) std::atomic<std::uint32_t>(0);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  stream->advance(&at.epoch);
  wait_for(*stream, &at.epoch, &at.flags[0], 1, guard("subdomain 2 -> 4", std::chrono::seconds(60), abort));
  EXPECT_FALSE(stream->query());
  abort->store(1);
  EXPECT_EQ(failure(*stream),
            "communication: subdomain 2 -> 4: given up at epoch 1 (the flag is at 0), because the exchange was "
            "aborted");
}

TEST_P(BackendContract, AFailureReachesStreamsThatWait) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto failing = backend->create_stream(0);
  const auto waiting = backend->create_stream(1);
  const auto bystander = backend->create_stream(1);
  const auto event = backend->create_event(0);
  failing->advance(&at.epoch);
  wait_for(*failing, &at.epoch, &at.flags[0], 1, guard("x", std::chrono::milliseconds(100)));
  failing->record(*event);
  waiting->wait(*event);
  waiting->advance(&at.flags[7].epoch);
  bystander->advance(&at.flags[6].epoch);
  const std::string text = failure(*waiting);
  EXPECT_THAT(text, StartsWith("deadline: x: "));
  EXPECT_EQ(thrown([&] { (void)event->query(); }), text);
  EXPECT_EQ(get(&at.flags[7].epoch), 0u);
  if (GetParam().failure_is_contained) {
    bystander->synchronize();
    EXPECT_EQ(get(&at.flags[6].epoch), 1u);
  } else {
    EXPECT_EQ(failure(*bystander), text);
  }
}

TEST_P(BackendContract, AFailureEndsTheWaitForOtherStreams) {
  const auto memory = make_page(*backend);
  const auto pinned = backend->allocate_pinned(sizeof(std::atomic<std::uint32_t>));
  auto* abort = new (pinned->data()) std::atomic<std::uint32_t>(0);
  FlagPage& at = page(*memory);
  const auto waiting = backend->create_stream(0);
  const auto failing = backend->create_stream(1);
  wait_for(*waiting, &at.one, &at.flags[0], 1, guard("never sent", std::chrono::seconds(20), abort));
  wait_for(*failing, &at.one, &at.flags[1], 1, guard("late", std::chrono::milliseconds(20)));
  const std::array streams{waiting.get(), failing.get()};
  EXPECT_THAT(thrown([&] { backend->synchronize(streams); }), StartsWith("deadline: late: "));
  abort->store(1);
  EXPECT_NE(failure(*waiting), "");
}

}  // namespace halocline::device::test
