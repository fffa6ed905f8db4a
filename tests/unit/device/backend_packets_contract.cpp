// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include "support/effort.hpp"
#include "unit/device/backend_contract.hpp"
#include "unit/device/exchange_case.hpp"

// The contract of every backend for exchanges that may use packets, whether the backend has packets or not. Each
// backend's file has its INSTANTIATE_TEST_SUITE_P.
namespace halocline::device::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using How = ExchangeCase::How;

/// One participant on each device, with such messages each way.
std::pair<ParticipantId, ParticipantId> two_participants_with_packets(ExchangeCase& tested, std::mt19937& random) {
  const ParticipantId a = tested.add_participant(0);
  const ParticipantId b = tested.add_participant(1);
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    for (const int copies : {3, 1}) tested.send_packets(random, from, to, copies);
  }
  return {a, b};
}

}  // namespace

TEST_P(BackendContract, PacketsMoveTheCellsOfTheirExchange) {
  for (const int multiprocessors : {0, 1}) {
    std::mt19937 random(20261122);
    ExchangeCase tested(*backend);
    const auto [a, b] = two_participants_with_packets(tested, random);
    for (const int device : {0, 1}) tested.plan(device).multiprocessors = multiprocessors;
    tested.prepare(9);
    tested.capture();
    for (int i = 0; i < 9; ++i) tested.enqueue(i % 3 == 1 ? How::replayed : How::eager);
    tested.expect_all();
    EXPECT_EQ(get(tested.participant(a).epoch), 9u);
    for (const OutgoingPart& part : tested.participant(b).outgoing) EXPECT_EQ(get(&part.ready.flag->epoch), 9u);
  }
}

TEST_P(BackendContract, PacketsGoOneWayOnly) {
  std::mt19937 random(3);
  ExchangeCase tested(*backend);
  const ParticipantId from = tested.add_participant(0);
  const ParticipantId to = tested.add_participant(1);
  tested.send_packets(random, from, to, 4);
  tested.prepare(12);
  for (int i = 0; i < 12; ++i) tested.enqueue();
  tested.expect_all();
}

TEST_P(BackendContract, RandomExchangesWithPacketsEqualTheReference) {
  std::mt19937 random(20261123);
  const auto pick = [&](unsigned n) { return static_cast<int>(random() % n); };
  for (int round = 0; round < halocline::test::some_of(25); ++round) {
    ExchangeCase tested(*backend, std::int64_t{6} << 20);
    std::vector<ParticipantId> participants;
    for (const int device : {0, 1}) {
      for (int i = pick(3); i >= 0; --i) participants.push_back(tested.add_participant(device));
      for (int i = pick(3); i > 0; --i) tested.add_local(random, device);
      tested.plan(device).multiprocessors = pick(3);
    }
    for (int i = pick(20); i > 0; --i) {
      const std::size_t from = random() % participants.size();
      const std::size_t to = (from + 1 + random() % (participants.size() - 1)) % participants.size();
      if (pick(3) == 0) {
        tested.send_strided(random, participants[from], participants[to], pick(4), pick(3) == 0);
      } else {
        tested.send_packets(random, participants[from], participants[to], 1 + pick(3));
      }
    }
    tested.prepare(5);
    tested.capture();
    for (int i = 0; i < 5; ++i) tested.enqueue(pick(2) == 0 ? How::eager : How::replayed);
    tested.expect_all();
    for (const ParticipantId& participant : participants) ASSERT_EQ(get(tested.participant(participant).epoch), 5u);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

/// A packet's mark has fewer bits than an epoch: a stale packet in its slot would look like a packet of the exchange
/// 2^n epochs later. Here all exchanges in between have completed, and the sender of the later one is late.
TEST_P(BackendContract, APacketIsNotTakenForOneOfALaterExchange) {
  std::mt19937 random(4);
  for (const std::uint64_t later : {std::uint64_t{1} << 15, std::uint64_t{1} << 16, std::uint64_t{1} << 32}) {
    const auto memory = make_page(*backend);
    FlagPage& at = page(*memory);
    ExchangeCase tested(*backend);
    const auto [a, b] = two_participants_with_packets(tested, random);
    tested.prepare(2);
    tested.enqueue();
    tested.synchronize();
    for (const ParticipantId& participant : {a, b}) put(tested.participant(participant).epoch, later);
    wait_for(tested.stream(0), &at.one, &at.flags[0], 1, guard("is late"));
    const auto release = backend->create_stream(1);
    tested.enqueue();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    signal_to(*release, &at.one, &at.flags[0], 1);
    tested.expect_all();
    EXPECT_EQ(get(tested.participant(a).epoch), later + 1);
  }
}

TEST_P(BackendContract, ASenderOfPacketsIsAtMostOneExchangeAhead) {
  std::mt19937 random(5);
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  ExchangeCase tested(*backend);
  const ParticipantId from = tested.add_participant(0);
  const ParticipantId to = tested.add_participant(1);
  tested.send_packets(random, from, to, 3);
  tested.prepare(8);
  tested.enqueue();
  tested.synchronize();
  wait_for(tested.stream(1), &at.one, &at.flags[0], 1, guard("is late"));
  const auto release = backend->create_stream(1);
  for (int i = 0; i < 7; ++i) tested.enqueue();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(tested.stream(0).query());
  signal_to(*release, &at.one, &at.flags[0], 1);
  tested.expect_all();
}

TEST_P(BackendContract, BothSidesFailWhereTheTokensOfPacketsDiffer) {
  std::mt19937 random(6);
  ExchangeCase tested(*backend);
  const auto [a, b] = two_participants_with_packets(tested, random);
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
}

/// For example, if one side exchanges one more field, so that its message exceeds the limit for packets.
TEST_P(BackendContract, BothSidesFailWhereOneSendsRowsAndTheOtherWaitsForPackets) {
  for (const bool rows_are_sent : {true, false}) {
    std::mt19937 random(8);
    const auto tested_backend = GetParam().make();
    ExchangeCase tested(*tested_backend);
    const ParticipantId from = tested.add_participant(0);
    const ParticipantId to = tested.add_participant(1);
    tested.send_packets(random, from, to, 2);
    OutgoingPart& out = tested.outgoing(from);
    IncomingPart& in = tested.incoming(to);
    out.ready.token = out.arrived.token = 10;
    in.ready.token = in.arrived.token = 11;
    (rows_are_sent ? out.packets : in.packets) = {};
    tested.prepare(1);
    for (const int device : {0, 1}) tested.renew(device);
    tested.run(1);
    EXPECT_THAT(tested.failure_of(0), AllOf(StartsWith("protocol: message 1 (ready)"), HasSubstr("disagree")));
    EXPECT_THAT(failure(tested.stream(1)), AllOf(StartsWith("protocol: message 1 (arrived)"), HasSubstr("disagree")));
  }
}

TEST_P(BackendContract, PacketsThatNeverArriveAreADeadlineError) {
  std::mt19937 random(7);
  ExchangeCase tested(*backend);
  const ParticipantId from = tested.add_participant(0);
  const ParticipantId to = tested.add_participant(1);
  tested.send_packets(random, from, to, 2);
  tested.incoming(to).arrived.guard = guard("subdomain 3 -> 5 (arrived)", std::chrono::milliseconds(50));
  tested.prepare(1);
  tested.renew(1);
  tested.run(1);
  EXPECT_THAT(failure(tested.stream(1)), AllOf(StartsWith("deadline: subdomain 3 -> 5 (arrived): not there after 0."),
                                               HasSubstr(" s at epoch 1 (the flag is at 0)")));
}

TEST_P(BackendContract, RowsThatCannotGoAsPacketsAreRefused) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  alignas(64) std::array<std::byte, 512> cells{};
  const PacketRoom room{{cells.data() + 128, cells.data() + 256}};
  const auto refusal = [&](const StridedCopy& copy, const PacketRoom& offered) {
    Participant participant;
    participant.epoch = &at.epoch;
    OutgoingPart& part = participant.outgoing.emplace_back();
    part.ready = {&at.flags[0], 1, guard("x"), nullptr};
    part.copies = {copy};
    part.arrived = {&at.flags[1], 1};
    part.packets = offered;
    FusedPlan plan;
    plan.participants.push_back(std::move(participant));
    return thrown([&] { (void)backend->fuse(0, plan); });
  };
  const StridedCopy good{cells.data(), cells.data() + 64, {4, 8, 8}, {4, 8, 8}, {2, 1, 1}, 4};
  EXPECT_EQ(refusal(good, room), "");
  EXPECT_THAT(refusal(good, {{cells.data() + 128, cells.data() + 160}}),
              StartsWith("invalid argument: room for packets is at "));
  EXPECT_EQ(refusal(good, {{cells.data() + 128, nullptr}}), "invalid argument: room for packets is null");
  StridedCopy copy = good;
  copy.source += 2;
  EXPECT_THAT(refusal(copy, room), StartsWith("invalid argument: a row of packets is at "));
  copy = good;
  copy.element_bytes = 2;
  EXPECT_EQ(refusal(copy, room),
            "invalid argument: rows that go as packets have elements of 2 bytes with strides 4, 8 and 8; allowed are "
            "contiguous rows of 4-byte words");
  copy = good;
  copy.source_stride[0] = 8;
  EXPECT_THAT(refusal(copy, room), HasSubstr("with strides 8, 8 and 8; allowed are contiguous rows"));
  copy = good;
  copy.source_stride[1] = 6;
  EXPECT_THAT(refusal(copy, room), HasSubstr("with strides 4, 6 and 8; allowed are contiguous rows"));
}

}  // namespace halocline::device::test
