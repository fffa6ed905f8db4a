// SPDX-License-Identifier: BSD-3-Clause
#include <thread>

#include "support/effort.hpp"
#include "unit/device/backend_contract.hpp"
#include "unit/device/exchange_case.hpp"

// The contract of every backend for complete exchanges that succeed. Each backend's file has its
// INSTANTIATE_TEST_SUITE_P.
namespace halocline::device::test {
namespace {

using How = ExchangeCase::How;

/// One participant on each device; several messages each way, with and without receive_buffer, one of them empty; local
/// copies.
std::pair<ParticipantId, ParticipantId> two_participants(ExchangeCase& tested) {
  std::mt19937 random(20250611);
  const ParticipantId a = tested.add_participant(0);
  const ParticipantId b = tested.add_participant(1);
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    tested.send_strided(random, from, to, 3, false);
    tested.send_strided(random, from, to, 0, false);
    tested.send_strided(random, from, to, 2, true);
    tested.send_strided(random, from, to, 1, false);
    for (int i = 0; i < 3; ++i) tested.add_local(random, from.device);
  }
  return {a, b};
}

}  // namespace

TEST_P(BackendContract, AnExchangeMovesTheCellsOfItsTimeBothWays) {
  ExchangeCase tested(*backend);
  const auto [a, b] = two_participants(tested);
  tested.prepare(8);
  for (int i = 0; i < 8; ++i) tested.enqueue();
  tested.expect_all();
  EXPECT_EQ(get(tested.participant(a).epoch), 8u);
  EXPECT_EQ(get(tested.participant(b).epoch), 8u);
  for (const OutgoingPart& part : tested.participant(a).outgoing) {
    EXPECT_EQ(get(&part.ready.flag->epoch), 8u);
    EXPECT_EQ(get(&part.arrived.flag->epoch), 8u);
    EXPECT_EQ(get(&part.arrived.flag->token), part.arrived.token);
  }
  for (const int device : {0, 1}) EXPECT_EQ(thrown([&] { tested.exchange(device).check(); }), "");
}

/// A 32-bit counter would overflow after hours of small exchanges.
TEST_P(BackendContract, EpochsOfExchangesDoNotWrapAt32Bits) {
  ExchangeCase tested(*backend);
  const auto [a, b] = two_participants(tested);
  tested.prepare(6);
  constexpr std::uint64_t before = (std::uint64_t{1} << 32) - 3;
  for (const ParticipantId& participant : {a, b}) put(tested.participant(participant).epoch, before);
  tested.capture();
  for (int i = 0; i < 6; ++i) tested.enqueue(i % 2 == 0 ? How::eager : How::replayed);
  tested.expect_all();
  for (const ParticipantId& participant : {a, b}) EXPECT_EQ(get(tested.participant(participant).epoch), before + 6);
  for (const OutgoingPart& part : tested.participant(a).outgoing) EXPECT_EQ(get(&part.arrived.flag->epoch), before + 6);
}

TEST_P(BackendContract, ReplayedAndEagerExchangesCountTogether) {
  ExchangeCase tested(*backend);
  const auto [a, b] = two_participants(tested);
  tested.prepare(20);
  tested.capture();
  for (int i = 0; i < 20; ++i) tested.enqueue(i % 5 == 2 ? How::eager : How::replayed);
  tested.expect_all();
  EXPECT_EQ(get(tested.participant(a).epoch), 20u);
  EXPECT_EQ(get(tested.participant(b).epoch), 20u);
}

TEST_P(BackendContract, AnExchangeOfOneMultiprocessorLeadsToTheSame) {
  for (const int multiprocessors : {1, 2, 1'000'000}) {
    ExchangeCase tested(*backend);
    two_participants(tested);
    tested.plan(0).multiprocessors = multiprocessors;
    tested.plan(1).multiprocessors = 1;
    tested.prepare(3);
    for (int i = 0; i < 3; ++i) tested.enqueue();
    tested.expect_all();
  }
}

TEST_P(BackendContract, ParticipantsOfADeviceExchangeWithEachOtherAndWithOthers) {
  ExchangeCase tested(*backend);
  std::mt19937 random(5);
  const ParticipantId participants[] = {tested.add_participant(0), tested.add_participant(0),
                                        tested.add_participant(1)};
  for (const ParticipantId& from : participants) {
    for (const ParticipantId& to : participants) {
      if (&from == &to) continue;
      tested.send_strided(random, from, to, 2, false);
      tested.send_strided(random, from, to, 1, true);
    }
  }
  tested.prepare(6);
  tested.capture();
  for (int i = 0; i < 6; ++i) tested.enqueue(i % 2 == 0 ? How::eager : How::replayed);
  tested.expect_all();
  for (const ParticipantId& participant : participants) EXPECT_EQ(get(tested.participant(participant).epoch), 6u);
}

/// A message sent in pieces: one "ready" flag for all pieces, stage after stage; each piece is unpacked as soon as it
/// has arrived.
TEST_P(BackendContract, AMessageMayGoInPieces) {
  for (const int multiprocessors : {0, 1}) {
    ExchangeCase tested(*backend, std::int64_t{4} << 20);
    std::mt19937 random(20251121);
    const ParticipantId a = tested.add_participant(0);
    const ParticipantId b = tested.add_participant(1);
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      for (const int pieces : {5, 2}) {
        for (int piece = 0; piece < pieces; ++piece) {
          tested.send_strided(random, from, to, 3, piece + 1 < pieces);
          if (piece > 0) tested.join_pieces(from, to, piece);
        }
      }
      tested.send_bytes(from, to, 300'000);
      tested.outgoing(from).stage = tested.incoming(to).stage = 5;
      tested.add_local(random, from.device);
    }
    for (const int device : {0, 1}) tested.plan(device).multiprocessors = multiprocessors;
    tested.prepare(6);
    tested.capture();
    for (int i = 0; i < 6; ++i) tested.enqueue(i % 2 == 0 ? How::eager : How::replayed);
    tested.expect_all();
  }
}

/// The x faces of an array: rows of a few words at both ends of long rows are packed, sent to the other device, and
/// stored there together with the neighbouring words, up to whole sectors. There are enough rows for every code path of
/// the backends.
TEST_P(BackendContract, ManyShortRowsArePackedAndStoredAsWholeSectors) {
  constexpr std::int64_t pitch = 192, rows = 101, planes = 103, sector = 32;
  int number = 0;
  for (const std::int64_t element : {4, 8}) {
    for (const std::int64_t width : {1, 2, 3}) {
      for (const bool at_end : {false, true}) {
        if (number++ % std::min(halocline::test::one_in, 5) != 0) continue;
        ExchangeCase tested(*backend, std::int64_t{4} << 20);
        const ParticipantId a = tested.add_participant(0);
        const ParticipantId b = tested.add_participant(1);
        const std::int64_t bytes = element * width;
        const Vec3 cells{width, rows, planes};
        const std::array strides{element, pitch, pitch * rows};
        const std::array packed{element, bytes, bytes * rows};
        for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
          const std::byte* array = tested.source(from.device, pitch * rows * planes) + (at_end ? 96 - bytes : 0);
          std::byte* at = tested.target(to.device, bytes * rows * planes + 2 * sector) + sector;
          std::byte* halo = tested.target(to.device, pitch * rows * planes);
          const std::int64_t before = at_end ? 0 : sector - bytes;
          tested.send(from, to, {{array, at, strides, packed, cells, element}},
                      {{at - before, halo, packed, strides, {sector / element, rows, planes}, element}});
        }
        tested.prepare(2);
        for (int i = 0; i < 2; ++i) tested.enqueue();
        tested.expect_all();
      }
    }
  }
}

TEST_P(BackendContract, EachParticipantHasAnEpochOfItsOwn) {
  ExchangeCase tested(*backend);
  const ParticipantId often[] = {tested.add_participant(0), tested.add_participant(1)};
  tested.send_bytes(often[0], often[1], 100);
  const FusedPlan first[] = {tested.plan(0), tested.plan(1)};
  const ParticipantId seldom[] = {tested.add_participant(0), tested.add_participant(1)};
  tested.send_bytes(seldom[1], seldom[0], 100);
  tested.prepare(3);
  const std::unique_ptr<FusedExchange> alone[] = {backend->fuse(0, first[0]), backend->fuse(1, first[1])};
  for (int i = 0; i < 3; ++i) {
    for (const int device : {0, 1}) tested.stream(device).run(*alone[device]);
    tested.enqueue();
  }
  tested.expect_all();
  for (const int device : {0, 1}) {
    EXPECT_EQ(get(tested.participant(often[device]).epoch), 6u);
    EXPECT_EQ(get(tested.participant(seldom[device]).epoch), 3u);
  }
}

TEST_P(BackendContract, ManyLargeMessagesAreExchangedAtTheSameTime) {
  for (const int multiprocessors : {0, 1}) {
    ExchangeCase tested(*backend, std::int64_t{12} << 20);
    const ParticipantId a = tested.add_participant(0);
    const ParticipantId b = tested.add_participant(1);
    tested.send_bytes(a, b, 3'000'001);
    for (int i = 0; i < 40; ++i) tested.send_bytes(a, b, i % 3 == 0 ? 8 : 130'000 + 8 * i);
    for (int i = 0; i < 20; ++i) tested.send_bytes(b, a, 150'000);
    std::byte* landed_at = tested.target(0, 2'000'000);
    std::byte* at = tested.target(0, 2'000'000);
    tested.send(b, a, {contiguous(tested.source(1, 2'000'000), landed_at, 2'000'000)},
                {contiguous(landed_at, at, 1'000'000), contiguous(landed_at + 1'000'000, at + 1'000'000, 1'000'000)});
    tested.plan(0).local.push_back(contiguous(tested.source(0, 2'000'000), tested.target(0, 2'000'000), 2'000'000));
    for (const int device : {0, 1}) tested.plan(device).multiprocessors = multiprocessors;
    tested.prepare(3);
    for (int i = 0; i < 3; ++i) tested.enqueue();
    tested.expect_all();
  }
}

/// Many times as many tiles as blocks, of two shapes, so that a backend may hand them out while it copies; few blocks and many.
TEST_P(BackendContract, ALargeMessageOfOnePartIsCopiedOnceInEachExchange) {
  for (const int multiprocessors : {0, 2}) {
    ExchangeCase tested(*backend, std::int64_t{14} << 20);
    std::mt19937 random(20261125);
    const ParticipantId a = tested.add_participant(0);
    const ParticipantId b = tested.add_participant(1);
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      tested.send_bytes(from, to, halocline::test::some_of(12'345'670));
      tested.send_strided(random, from, to, 3, true);
    }
    for (const int device : {0, 1}) tested.plan(device).multiprocessors = multiprocessors;
    tested.prepare(3);
    tested.capture();
    for (int i = 0; i < 3; ++i) tested.enqueue(i == 1 ? How::replayed : How::eager);
    tested.expect_all();
  }
}

TEST_P(BackendContract, RandomExchangesEqualTheReference) {
  std::mt19937 random(20250612);
  const auto pick = [&](unsigned n) { return static_cast<int>(random() % n); };
  for (int round = 0; round < halocline::test::some_of(25); ++round) {
    ExchangeCase tested(*backend, std::int64_t{4} << 20);
    std::vector<ParticipantId> participants;
    for (const int device : {0, 1}) {
      for (int i = pick(3); i >= 0; --i) participants.push_back(tested.add_participant(device));
      for (int i = pick(4); i > 0; --i) tested.add_local(random, device);
      tested.plan(device).multiprocessors = pick(3);
    }
    for (int i = pick(30); i > 0; --i) {
      const std::size_t from = random() % participants.size();
      const std::size_t to = (from + 1 + random() % (participants.size() - 1)) % participants.size();
      tested.send_strided(random, participants[from], participants[to], pick(4), pick(3) == 0);
    }
    tested.prepare(5);
    tested.capture();
    for (int i = 0; i < 5; ++i) tested.enqueue(pick(2) == 0 ? How::eager : How::replayed);
    tested.expect_all();
    for (const ParticipantId& participant : participants) ASSERT_EQ(get(tested.participant(participant).epoch), 5u);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

TEST_P(BackendContract, APlanWithNothingToExchangeOnlyAdvancesEpochs) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  const auto nothing = backend->fuse(0, FusedPlan{});
  FusedPlan plan;
  plan.participants = {{&at.epoch, {}, {}, {}}, {&at.flags[7].epoch, {{&at.one, 2, 1, "odd"}}, {}, {}}};
  const auto alone = backend->fuse(0, plan);
  for (int i = 0; i < 3; ++i) {
    stream->run(*nothing);
    stream->run(*alone);
  }
  stream->synchronize();
  EXPECT_EQ(get(&at.epoch), 3u);
  EXPECT_EQ(get(&at.flags[7].epoch), 3u);
}

/// Stream order holds: earlier writes are sent, and later reads see the received cells.
TEST_P(BackendContract, NoCellIsWrittenBeforeItsReaderIsReady) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  ExchangeCase tested(*backend);
  const ParticipantId late = tested.add_participant(1);
  const ParticipantId early = tested.add_participant(0);
  tested.send_bytes(early, late, 8);
  const std::byte* target = tested.outgoing(early).copies[0].target;
  tested.prepare(2);
  tested.enqueue();
  tested.synchronize();
  const auto before = get(target, 1);
  wait_for(tested.stream(1), &at.one, &at.flags[0], 1, guard("reads the cell"));
  const auto release = backend->create_stream(1);
  tested.enqueue();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_FALSE(tested.stream(0).query());
  EXPECT_EQ(get(target, 1), before);
  EXPECT_EQ(get(&tested.outgoing(early).arrived.flag->epoch), 1u);
  signal_to(*release, &at.one, &at.flags[0], 1);
  tested.expect_all();
  EXPECT_NE(get(target, 1), before);
}

TEST_P(BackendContract, AnExchangeIsNotOverBeforeAllHasArrived) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  ExchangeCase tested(*backend);
  const ParticipantId early = tested.add_participant(0);
  const ParticipantId late = tested.add_participant(1);
  tested.send_bytes(late, early, 8);
  tested.send(late, early, {});  // no bytes, but its flag is posted
  tested.prepare(1);
  wait_for(tested.stream(1), &at.one, &at.flags[0], 1, guard("writes the cell"));
  const auto release = backend->create_stream(1);
  tested.enqueue();
  await_first(tested.incoming(early).ready);
  EXPECT_FALSE(tested.stream(0).query());
  EXPECT_EQ(get(&tested.incoming(early).arrived.flag->epoch), 0u);
  signal_to(*release, &at.one, &at.flags[0], 1);
  tested.expect_all();
  EXPECT_EQ(get(&tested.incoming(early).arrived.flag->epoch), 1u);
}

/// A late neighbour delays its own message only.
TEST_P(BackendContract, AMessageDoesNotWaitForTheNeighbourOfAnother) {
  ExchangeCase tested(*backend);
  const ParticipantId sender = tested.add_participant(0);
  const ParticipantId late = tested.add_participant(1);
  tested.send_bytes(sender, late, 1000);
  const FusedPlan of_late = tested.plan(1);
  tested.plan(1).participants.clear();
  const ParticipantId punctual = tested.add_participant(1);
  tested.participant(punctual).epoch = tested.participant(punctual).epoch + 1;
  tested.send_bytes(sender, punctual, 1000);
  tested.prepare(1);
  const auto exchange = backend->fuse(1, of_late);
  const auto stream = backend->create_stream(1);
  tested.enqueue();
  tested.stream(1).synchronize();
  EXPECT_FALSE(tested.stream(0).query());
  stream->run(*exchange);
  tested.synchronize();
  stream->synchronize();
  EXPECT_EQ(get(tested.participant(sender).epoch), 1u);
}

}  // namespace halocline::device::test
