// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include "unit/device/backend_contract.hpp"
#include "unit/device/exchange_case.hpp"

// The contract of every backend for complete exchanges that fail. Each backend's file has its INSTANTIATE_TEST_SUITE_P.
namespace halocline::device::test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_P(BackendContract, ATokenThatDiffersIsRefusedAndNoCellIsWritten) {
  ExchangeCase tested(*backend);
  const ParticipantId sender = tested.add_participant(0);
  const ParticipantId receiver = tested.add_participant(1);
  tested.send_bytes(sender, receiver, 8);
  tested.outgoing(sender).ready.token = 0xdef;
  tested.incoming(receiver).ready.token = 0xabc;
  std::byte* landed = tested.target(1, 8);
  tested.incoming(receiver).copies = {contiguous(tested.source(1, 8), landed, 8)};
  tested.prepare(1);
  for (const int device : {0, 1}) tested.renew(device);
  tested.run(1);
  await_first(tested.incoming(receiver).ready);
  EXPECT_EQ(tested.failure_of(0),
            "protocol: message 1 (ready): the two sides disagree on which fields, buffers, directions and depths are "
            "exchanged: expected "
            "epoch 1 with token 0x0000000000000def, found epoch 1 with 0x0000000000000abc");
  EXPECT_EQ(failure(tested.stream(1)),
            "protocol: message 1 (arrived): refused by the other side at epoch 1, because the two disagree on which "
            "fields, buffers, directions and depths are exchanged");
  EXPECT_EQ(get(tested.outgoing(sender).copies[0].target, 1)[0], 0u);
  EXPECT_EQ(get(landed, 1)[0], 0u);
}

TEST_P(BackendContract, BothSidesFailWhereTheirTokensDifferBothWays) {
  ExchangeCase tested(*backend);
  const ParticipantId a = tested.add_participant(0);
  const ParticipantId b = tested.add_participant(1);
  tested.send_bytes(a, b, 5000);
  tested.send_bytes(b, a, 5000);
  for (const ParticipantId& participant : {a, b}) {
    const std::uint64_t mine = 10 + static_cast<std::uint64_t>(participant.device);
    OutgoingPart& out = tested.outgoing(participant);
    IncomingPart& in = tested.incoming(participant);
    out.ready.token = out.arrived.token = in.ready.token = in.arrived.token = mine;
  }
  tested.prepare(1);
  for (const int device : {0, 1}) tested.renew(device);
  tested.run(0);
  const auto disagree = AllOf(StartsWith("protocol: message "), HasSubstr("disagree"));
  EXPECT_THAT(tested.failure_of(1), disagree);
  EXPECT_THAT(failure(tested.stream(0)), disagree);
  for (const ParticipantId& participant : {a, b}) {
    EXPECT_EQ(get(tested.outgoing(participant).copies[0].target, 625), std::vector<std::uint64_t>(625, 0));
  }
}

TEST_P(BackendContract, ANeighbourThatIsNeverReadyIsADeadlineError) {
  ExchangeCase tested(*backend);
  const ParticipantId sender = tested.add_participant(0);
  const ParticipantId receiver = tested.add_participant(1);
  tested.send_bytes(sender, receiver, 5000);
  tested.outgoing(sender).ready.guard = guard("subdomain 3 -> 5 (ready)", std::chrono::milliseconds(50));
  tested.prepare(1);
  tested.renew(0);
  tested.run(0);
  const std::string text = failure(tested.stream(0));
  EXPECT_THAT(text, AllOf(StartsWith("deadline: subdomain 3 -> 5 (ready): not there after 0."),
                          HasSubstr(" s at epoch 1 (the flag is at 0)")));
  EXPECT_EQ(thrown([&] { tested.run(0); }), text);
  EXPECT_EQ(get(&tested.outgoing(sender).arrived.flag->epoch), 0u);
  EXPECT_EQ(get(tested.outgoing(sender).copies[0].target, 625), std::vector<std::uint64_t>(625, 0));
}

TEST_P(BackendContract, AMessageThatNeverArrivesIsADeadlineError) {
  ExchangeCase tested(*backend);
  const ParticipantId sender = tested.add_participant(0);
  const ParticipantId receiver = tested.add_participant(1);
  tested.send_bytes(sender, receiver, 8);
  std::byte* landed = tested.target(1, 8);
  tested.incoming(receiver).copies = {contiguous(tested.source(1, 8), landed, 8)};
  tested.incoming(receiver).arrived.guard = guard("subdomain 3 -> 5 (arrived)", std::chrono::milliseconds(50));
  tested.prepare(1);
  tested.renew(1);
  tested.run(1);
  EXPECT_THAT(failure(tested.stream(1)), AllOf(StartsWith("deadline: subdomain 3 -> 5 (arrived): not there after 0."),
                                               HasSubstr(" s at epoch 1 (the flag is at 0)")));
  EXPECT_EQ(get(landed, 1)[0], 0u);
}

TEST_P(BackendContract, AnAbortWordEndsAnExchange) {
  const auto pinned = backend->allocate_pinned(sizeof(std::atomic<std::uint32_t>));
  auto* abort = new (pinned->data()) std::atomic<std::uint32_t>(0);
  ExchangeCase tested(*backend);
  const ParticipantId sender = tested.add_participant(0);
  const ParticipantId receiver = tested.add_participant(1);
  tested.send_bytes(sender, receiver, 8);
  tested.outgoing(sender).ready.guard = guard("subdomain 2 -> 4", std::chrono::seconds(60), abort);
  tested.prepare(1);
  tested.renew(0);
  tested.run(0);
  EXPECT_FALSE(tested.stream(0).query());
  abort->store(1);
  EXPECT_EQ(failure(tested.stream(0)),
            "communication: subdomain 2 -> 4: given up at epoch 1 (the flag is at 0), because the exchange was "
            "aborted");
}

TEST_P(BackendContract, AnExchangeWithAnUnexpectedCounterSaysAndStoresNothing) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  ExchangeCase tested(*backend);
  const ParticipantId here[] = {tested.add_participant(0), tested.add_participant(0)};
  const ParticipantId there = tested.add_participant(1);
  for (const ParticipantId& participant : here) {
    tested.send_bytes(participant, there, 8);
    tested.send_bytes(there, participant, 8);
  }
  tested.plan(0).local = {contiguous(tested.source(0, 8), tested.target(0, 8), 8)};
  // A failed condition of the last participant stops the parts of all participants.
  tested.participant(here[1]).expected = {{&at.one, 2, 1, "always odd"},
                                          {&at.epoch, 2, 0, "the buffers were swapped an odd number of times"}};
  tested.prepare(2);
  tested.capture();
  tested.enqueue(ExchangeCase::How::replayed);
  tested.expect_all();
  const auto sent = get(tested.outgoing(here[0]).copies[0].target, 1);
  const auto local = get(tested.plan(0).local[0].target, 1);

  tested.stream(0).advance(&at.epoch);
  for (const int device : {1, 0}) {
    tested.renew(device);
    tested.run(device, ExchangeCase::How::replayed);  // checked at each replay
  }
  EXPECT_EQ(failure(tested.stream(0)),
            "protocol: the buffers were swapped an odd number of times (count 1 modulo 2, expected 0)");
  EXPECT_EQ(get(tested.outgoing(here[0]).copies[0].target, 1), sent);
  EXPECT_EQ(get(tested.plan(0).local[0].target, 1), local);
  for (const ParticipantId& participant : here) {
    EXPECT_EQ(get(tested.participant(participant).epoch), 1u);
    EXPECT_EQ(get(&tested.incoming(participant).ready.flag->epoch), 1u);
    EXPECT_EQ(get(&tested.outgoing(participant).arrived.flag->epoch), 1u);
  }
}

TEST_P(BackendContract, APlanThatCannotBeRunIsRefused) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  std::vector<std::byte> cells(64);
  const auto with = guard("x");
  const FlagWait wait{&at.flags[0], 1, with, nullptr};
  const FlagSignal signal{&at.flags[1], 1};
  const auto refusal = [&](const std::function<void(FusedPlan&, Participant&)>& spoil) {
    FusedPlan plan;
    Participant participant{&at.epoch, {{&at.one, 1, 0, ""}}, {{wait, {}, signal}}, {{signal, wait, {}}}};
    spoil(plan, participant);
    plan.participants.push_back(participant);
    return thrown([&] { (void)backend->fuse(0, plan); });
  };
  const auto with_copy = [&](const StridedCopy& copy) {
    return std::vector{refusal([&](FusedPlan& plan, Participant&) { plan.local = {copy}; }),
                       refusal([&](FusedPlan&, Participant& participant) { participant.outgoing[0].copies = {copy}; }),
                       refusal([&](FusedPlan&, Participant& participant) { participant.incoming[0].copies = {copy}; })};
  };
  EXPECT_EQ(refusal([](FusedPlan&, Participant&) {}), "");
  EXPECT_EQ(refusal([](FusedPlan& plan, Participant&) { plan.multiprocessors = -1; }),
            "invalid argument: multiprocessors is -1; allowed is 0 (all of use) or more");
  EXPECT_EQ(refusal([](FusedPlan&, Participant& participant) { participant.epoch = nullptr; }),
            "invalid argument: the epoch is null");
  EXPECT_THAT(refusal([](FusedPlan&, Participant& participant) {
                participant.epoch =
                    reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::byte*>(participant.epoch) + 4);
              }),
              StartsWith("invalid argument: the epoch is at "));
  EXPECT_EQ(refusal([](FusedPlan&, Participant& participant) { participant.expected[0].counter = nullptr; }),
            "invalid argument: the counter of a check is null");
  EXPECT_THAT(refusal([](FusedPlan&, Participant& participant) { participant.expected[0].modulus = 0; }),
              StartsWith("invalid argument: the modulus"));
  const std::string no_wait = "invalid argument: a flag to wait for is null";
  EXPECT_EQ(refusal([](FusedPlan&, Participant& participant) { participant.outgoing[0].ready.flag = nullptr; }),
            no_wait);
  EXPECT_EQ(refusal([](FusedPlan&, Participant& participant) { participant.incoming[0].arrived.flag = nullptr; }),
            no_wait);
  const std::string no_signal = "invalid argument: a flag to signal is null";
  EXPECT_EQ(refusal([](FusedPlan&, Participant& participant) { participant.outgoing[0].arrived.flag = nullptr; }),
            no_signal);
  EXPECT_EQ(refusal([](FusedPlan&, Participant& participant) { participant.incoming[0].ready.flag = nullptr; }),
            "");  // a later piece: the flag of the first piece covers it
  const std::string no_guard = "invalid argument: the guard of a wait for a flag is null";
  EXPECT_EQ(refusal([](FusedPlan&, Participant& participant) { participant.outgoing[0].ready.guard = nullptr; }),
            no_guard);
  EXPECT_EQ(refusal([](FusedPlan&, Participant& participant) { participant.incoming[0].arrived.guard = nullptr; }),
            no_guard);
  const FlagWait turned_wait{&at.flags[0], 1, with, nullptr, &at.flags[2]};
  const FlagSignal turned_signal{&at.flags[1], 1, &at.flags[3]};
  EXPECT_EQ(refusal([&](FusedPlan&, Participant& participant) {
              participant.puts = {{{}, 0, turned_signal, turned_wait}};
              participant.landings = {{turned_signal, turned_wait, {}, 0}};
            }),
            "");
  EXPECT_EQ(refusal([&](FusedPlan&, Participant& participant) {
              participant.puts = {{{}, 0, signal, turned_wait}};
            }),
            "invalid argument: the flag of odd exchanges to signal is null");
  EXPECT_EQ(refusal([&](FusedPlan&, Participant& participant) {
              participant.landings = {{turned_signal, wait, {}, 0}};
            }),
            "invalid argument: the flag of odd exchanges to wait for is null");
  EXPECT_THAT(with_copy({nullptr, cells.data(), {8}, {8}, {1, 1, 1}, 8}),
              ::testing::Each(StartsWith("invalid argument: the source of a copy is null")));
  EXPECT_THAT(with_copy({cells.data(), cells.data() + 32, {3}, {3}, {1, 1, 1}, 3}),
              ::testing::Each(StartsWith("invalid argument: the element size of a copy is 3")));
  const int beyond = backend->device_count();
  EXPECT_THAT(thrown([&] { (void)backend->fuse(beyond, FusedPlan{}); }),
              StartsWith("invalid argument: device is " + std::to_string(beyond)));
}

TEST_P(BackendContract, AStreamTakesExchangesOfItsBackendAndDeviceOnly) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto other = GetParam().make();
  FusedPlan plan;
  plan.participants = {{&at.epoch, {}, {}, {{{&at.flags[0], 1}, {&at.flags[1], 1, guard("x"), nullptr}, {}}}}};
  const auto elsewhere = backend->fuse(1, plan);
  const auto foreign = other->fuse(0, plan);
  const auto stream = backend->create_stream(0);
  EXPECT_EQ(thrown([&] { stream->run(*elsewhere); }),
            "invalid argument: the fused exchange was prepared for device 1; allowed is the stream's, 0");
  EXPECT_THAT(thrown([&] { stream->run(*foreign); }),
              AllOf(StartsWith("invalid argument: "), HasSubstr("belongs to another backend than the stream")));
  stream->synchronize();
  EXPECT_EQ(get(&at.epoch), 0u);
  EXPECT_EQ(get(&at.flags[0].epoch), 0u);
}

}  // namespace halocline::device::test
