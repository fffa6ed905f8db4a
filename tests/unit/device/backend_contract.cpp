// SPDX-License-Identifier: BSD-3-Clause
#include "unit/device/backend_contract.hpp"
#include "comm/agree.hpp"
#include "device/memory_account.hpp"

#include <gmock/gmock.h>

#include <numeric>
#include <thread>

// The contract of every backend. Each backend's file has its INSTANTIATE_TEST_SUITE_P.
namespace halocline::device::test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_P(BackendContract, DevicesAreNumberedAndDistinct) {
  ASSERT_GE(backend->device_count(), 2);
  EXPECT_NE(backend->info(0).uuid, backend->info(1).uuid);
  EXPECT_FALSE(backend->info(0).name.empty());
  EXPECT_GT(backend->info(0).memory_bytes, 0);
  const int beyond = backend->device_count();
  const std::string text =
      "invalid argument: device is " + std::to_string(beyond) + "; allowed is 0 to " + std::to_string(beyond - 1);
  EXPECT_EQ(thrown([&] { (void)backend->info(beyond); }), text);
  EXPECT_EQ(thrown([&] { (void)backend->create_stream(beyond); }), text);
  EXPECT_EQ(thrown([&] { (void)backend->allocate(beyond, 8); }), text);
  EXPECT_THAT(thrown([&] { (void)backend->create_event(-1); }), StartsWith("invalid argument: device is -1"));
}

TEST_P(BackendContract, CopiesFromDeviceToDeviceAndBack) {
  std::vector<std::uint64_t> words(1000);
  std::iota(words.begin(), words.end(), 5);
  const auto a = backend->allocate(0, 8000);
  const auto b = backend->allocate(1, 8000);
  put(*a, words);
  const auto stream = backend->create_stream(0);
  stream->copy(b->data(), a->data(), 8000);
  stream->synchronize();
  EXPECT_EQ(get(b->data(), 1000), words);
}

TEST_P(BackendContract, AllocationsAreAligned) {
  for (const std::size_t bytes : {1u, 8u, 1000u}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(backend->allocate(0, bytes)->data()) % 128, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(backend->allocate_shareable(0, bytes)->data()) % 128, 0u);
    EXPECT_EQ(backend->allocate(0, bytes)->bytes(), bytes);
  }
}

TEST_P(BackendContract, TooMuchMemoryIsAResourceError) {
  const std::size_t bytes = std::size_t{1} << 60;
  EXPECT_THAT(thrown([&] { (void)backend->allocate(0, bytes); }),
              AllOf(StartsWith("resource: "), HasSubstr(std::to_string(bytes))));
  EXPECT_THAT(thrown([&] { (void)backend->allocate_shareable(0, bytes); }), StartsWith("resource: "));
}

TEST_P(BackendContract, CountsWhatItHasAllocated) {
  const auto account = std::make_shared<MemoryAccount>();
  std::vector<std::unique_ptr<Buffer>> of_cells, others, not_counted;
  {
    const CountMemory counting(*account, Purpose::cells);
    of_cells.push_back(backend->allocate(1, 1000));
    {
      const CountMemory messages(Purpose::messages);
      others.push_back(backend->allocate_shareable(0, 1000));
      others.push_back(backend->allocate_for_messages(0, 1000));
      others.push_back(backend->allocate_pinned(1000));
    }
    of_cells.push_back(backend->allocate(1, 1000));
    std::thread([&] { not_counted.push_back(backend->allocate(0, 1000)); }).join();
  }
  not_counted.push_back(backend->allocate(0, 1000));
  EXPECT_EQ(account->bytes(1, Purpose::cells), 2000);
  EXPECT_GE(account->bytes(0, Purpose::messages), 2000) << "a backend counts whole pages where it allocates them";
  EXPECT_EQ(account->bytes(0, Purpose::messages), account->bytes(0));
  EXPECT_EQ(account->bytes(pinned_host, Purpose::messages), 1000);
  of_cells.pop_back();
  EXPECT_EQ(account->bytes(1), 1000);
  of_cells.clear();
  others.clear();
  for (const int device : {0, 1, pinned_host}) EXPECT_EQ(account->bytes(device), 0);
}

TEST_P(BackendContract, AStreamRunsInOrder) {
  const auto memory = backend->allocate(0, 8 * 3);
  put(*memory, {1, 2, 3});
  const auto stream = backend->create_stream(0);
  // Each copy needs the one before it.
  for (int i = 0; i < 200; ++i) {
    stream->copy(memory->data() + 8, memory->data(), 8);
    stream->copy(memory->data() + 16, memory->data() + 8, 8);
    stream->advance(reinterpret_cast<std::uint64_t*>(memory->data()));
  }
  stream->synchronize();
  EXPECT_EQ(get(memory->data(), 3), (std::vector<std::uint64_t>{201, 200, 200}));
}

TEST_P(BackendContract, EnqueueingReturnsWhileTheStreamWaits) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto late = backend->create_stream(0);
  const auto other = backend->create_stream(1);
  const auto before = backend->create_event(0);
  late->advance(&at.epoch);
  late->record(*before);
  wait_for(*late, &at.one, &at.flags[0], 7, guard("late"));
  late->advance(&at.epoch);
  ASSERT_TRUE(backend->wait_until([&] { return before->query(); }, patience()));
  EXPECT_FALSE(late->query());
  EXPECT_EQ(get(&at.epoch), 1u);
  signal_to(*other, &at.one, &at.flags[0], 7);
  late->synchronize();
  EXPECT_TRUE(late->query());
  EXPECT_EQ(get(&at.epoch), 2u);
}

TEST_P(BackendContract, EventsOrderStreamsOfDifferentDevices) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto first = backend->create_stream(0);
  const auto second = backend->create_stream(1);
  const auto event = backend->create_event(0);
  EXPECT_TRUE(event->query());  // never recorded
  second->wait(*event);         // nothing to wait for
  second->synchronize();

  wait_for(*first, &at.epoch, &at.flags[0], 0, guard("passes at epoch 0"));
  wait_for(*first, &at.one, &at.flags[1], 1, guard("holds up"));
  first->record(*event);
  second->wait(*event);
  second->advance(&at.flags[5].epoch);
  EXPECT_FALSE(event->query());
  EXPECT_FALSE(second->query());
  EXPECT_EQ(get(&at.flags[5].epoch), 0u);

  const auto releaser = backend->create_stream(1);
  signal_to(*releaser, &at.one, &at.flags[1], 1);
  second->synchronize();
  EXPECT_TRUE(event->query());
  EXPECT_EQ(get(&at.flags[5].epoch), 1u);
}

TEST_P(BackendContract, AdvancingSignalsTheNewEpoch) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  const auto other = backend->create_stream(1);
  const FlagSignal signals[] = {{&at.flags[0], 8}, {&at.flags[1], 9}};
  stream->advance(&at.epoch);
  stream->advance(&at.epoch, signals);
  stream->synchronize();
  EXPECT_EQ(get(&at.epoch), 2u);
  EXPECT_EQ(get(&at.flags[0].epoch), 2u);
  EXPECT_EQ(get(&at.flags[0].token), 8u);
  wait_for(*other, &at.epoch, &at.flags[1], 9, guard("the new epoch"));
  other->synchronize();
}

TEST_P(BackendContract, TimedEventsTellWhatPassedBetween) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  const auto first = backend->create_event(0, Timing::on);
  const auto last = backend->create_event(0, Timing::on);
  const auto untimed = backend->create_event(0);
  const auto middle = backend->create_event(0, Timing::on);
  EXPECT_THAT(thrown([&] { (void)last->since(*first); }), StartsWith("invalid argument: since: "));
  const auto begin = std::chrono::steady_clock::now();
  stream->record(*first);
  stream->record(*untimed);
  stream->synchronize();
  const auto recorded = std::chrono::steady_clock::now();
  wait_for(*stream, &at.one, &at.flags[0], 1, guard("in between"));
  stream->record(*middle);
  stream->record(*last);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto signalled = std::chrono::steady_clock::now();
  const auto other = backend->create_stream(0);
  signal_to(*other, &at.one, &at.flags[0], 1);
  stream->synchronize();
  const auto passed = std::chrono::steady_clock::now() - begin;
  // The first event was recorded before `recorded`, the others after `signalled`; device clocks differ by about 0.1 %.
  const auto tolerance = std::chrono::milliseconds(1);
  EXPECT_GE(last->since(*first) + tolerance, signalled - recorded);
  EXPECT_LE(last->since(*first), passed + tolerance);
  EXPECT_LE(last->since(*middle), std::chrono::steady_clock::now() - signalled + tolerance);
  EXPECT_GE(last->since(*middle), Duration::zero());
  EXPECT_THAT(thrown([&] { (void)last->since(*untimed); }), StartsWith("invalid argument: since: "));
}

TEST_P(BackendContract, RegisteredMemoryIsReachedAtItsAddress) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  struct alignas(4096) Page {
    std::uint64_t words[512];
  };
  const auto whole = std::make_unique<Page>();
  auto& words = whole->words;
  const auto registered = backend->register_host(reinterpret_cast<std::byte*>(&words[0]), sizeof words);
  const auto stream = backend->create_stream(0);
  stream->advance(&at.epoch);
  stream->copy(reinterpret_cast<std::byte*>(&words[3]), reinterpret_cast<std::byte*>(&at.epoch), 8);
  stream->advance(&words[3]);
  stream->synchronize();
  EXPECT_EQ(words[3], 2u);
}

TEST_P(BackendContract, AnEventRecordedTwiceIsAwaitedByItsLatestMark) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto source = backend->create_stream(0);
  const auto early = backend->create_stream(0);
  const auto late = backend->create_stream(1);
  const auto event = backend->create_event(0);
  source->record(*event);
  early->wait(*event);  // the first mark
  wait_for(*source, &at.one, &at.flags[0], 3, guard("between the marks"));
  source->record(*event);
  late->wait(*event);  // the second
  early->synchronize();
  EXPECT_FALSE(late->query());
  EXPECT_FALSE(event->query());
  signal_to(*early, &at.one, &at.flags[0], 3);
  late->synchronize();
  EXPECT_TRUE(event->query());
}

TEST_P(BackendContract, ShareableMemoryIsZeroAndCanBeMapped) {
  const auto exporter = GetParam().make();
  const auto buffer = exporter->allocate_shareable(1, 4096);
  const auto mapping = backend->map(0, buffer->handle());
  EXPECT_EQ(mapping->bytes(), 4096u);
  EXPECT_EQ(get(mapping->data(), 512), std::vector<std::uint64_t>(512, 0));
  const auto stream = exporter->create_stream(1);
  stream->advance(reinterpret_cast<std::uint64_t*>(buffer->data()) + 17);
  stream->synchronize();
  EXPECT_EQ(get(mapping->data(), 18)[17], 1u);
}

TEST_P(BackendContract, FlagsCarryDataBetweenBackends) {
  const auto peer = GetParam().make();
  const auto mine = backend->allocate_shareable(0, sizeof(FlagPage));
  const auto theirs = peer->allocate_shareable(0, sizeof(FlagPage));
  const auto theirs_here = backend->map(0, theirs->handle());
  const auto mine_there = peer->map(0, mine->handle());
  const auto left = backend->create_stream(0);
  const auto right = peer->create_stream(0);
  // Ping-pong: each side receives a number, adds one and sends it back; flags 6 and 7 hold the number.
  FlagPage& a = page(*mine);
  FlagPage& b = page(*theirs);
  constexpr std::uint64_t rounds = 100;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    left->advance(&a.epoch);
    left->advance(&a.flags[6].epoch);
    left->copy(reinterpret_cast<std::byte*>(&page(*theirs_here).flags[6].epoch),
               reinterpret_cast<std::byte*>(&a.flags[6].epoch), 8);
    signal_to(*left, &a.epoch, &page(*theirs_here).flags[0], i);
    wait_for(*left, &a.epoch, &a.flags[0], i, guard("left"));

    right->advance(&b.epoch);
    wait_for(*right, &b.epoch, &b.flags[0], i, guard("right"));
    right->advance(&b.flags[6].epoch);
    right->copy(reinterpret_cast<std::byte*>(&page(*mine_there).flags[6].epoch),
                reinterpret_cast<std::byte*>(&b.flags[6].epoch), 8);
    signal_to(*right, &b.epoch, &page(*mine_there).flags[0], i);
  }
  left->synchronize();
  right->synchronize();
  EXPECT_EQ(get(&a.flags[6].epoch), 2 * rounds);
}

}  // namespace halocline::device::test
