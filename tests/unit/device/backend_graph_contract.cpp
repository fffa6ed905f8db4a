// SPDX-License-Identifier: BSD-3-Clause
#include "core/clock.hpp"
#include "unit/device/backend_contract.hpp"

// The contract of every backend for captured work. Each backend's file has its INSTANTIATE_TEST_SUITE_P.
namespace halocline::device::test {

TEST_P(BackendContract, AGraphIsReplayedWithTheEpochsOfItsTime) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto origin = backend->create_stream(0);
  const auto side = backend->create_stream(1);
  const auto fork = backend->create_event(0);
  const auto join = backend->create_event(1);
  const auto enqueue = [&] {
    origin->advance(&at.epoch);
    origin->record(*fork);
    side->wait(*fork);
    wait_for(*side, &at.epoch, &at.flags[0], 5, guard("side"));
    side->advance(&at.flags[6].epoch);
    side->record(*join);
    signal_to(*origin, &at.epoch, &at.flags[0], 5);
    origin->wait(*join);
    origin->advance(&at.flags[7].epoch);
  };
  EXPECT_FALSE(origin->capturing());
  origin->begin_capture();
  EXPECT_TRUE(origin->capturing());
  EXPECT_FALSE(side->capturing());
  enqueue();
  EXPECT_TRUE(side->capturing());
  const auto graph = origin->end_capture();
  EXPECT_FALSE(origin->capturing());
  EXPECT_FALSE(side->capturing());
  origin->synchronize();
  EXPECT_EQ(get(&at.epoch), 0u);  // recorded, not run

  std::uint64_t runs = 0;
  for (int round = 0; round < 20; ++round) {  // replayed and eager exchanges mix
    for (int i = 0; i < 5; ++i, ++runs) origin->launch(*graph);
    enqueue();
    ++runs;
  }
  origin->synchronize();
  side->synchronize();
  EXPECT_EQ(get(&at.epoch), runs);
  EXPECT_EQ(get(&at.flags[0].epoch), runs);
  EXPECT_EQ(get(&at.flags[6].epoch), runs);
  EXPECT_EQ(get(&at.flags[7].epoch), runs);
}

TEST_P(BackendContract, LaunchesOfAGraphByTwoStreamsDoNotOverlap) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto origin = backend->create_stream(0);
  const auto other = backend->create_stream(1);
  origin->begin_capture();
  // Would lose counts if two launches ran concurrently.
  for (int i = 0; i < 20; ++i) origin->advance(&at.epoch);
  const auto graph = origin->end_capture();
  for (int i = 0; i < 20; ++i) {
    origin->launch(*graph);
    other->launch(*graph);
  }
  origin->synchronize();
  other->synchronize();
  EXPECT_EQ(get(&at.epoch), 800u);
}

TEST_P(BackendContract, WaitUntilReturnsFalseAtTheDeadline) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(backend->wait_until([] { return false; }, Deadline(Clock::steady(), std::chrono::milliseconds(30))));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(30));
  EXPECT_TRUE(backend->wait_until([] { return true; }, Deadline(Clock::steady(), Duration::zero())));
}

}  // namespace halocline::device::test
