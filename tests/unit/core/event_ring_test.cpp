// SPDX-License-Identifier: BSD-3-Clause
#include "core/event_ring.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace halocline {
namespace {

/// All of an event follows from its number and its writer.
RecordedEvent event_of(std::uint64_t number, int writer) {
  return {Duration(static_cast<Duration::rep>(number * 3)),
          all_event_kinds[number % all_event_kinds.size()],
          static_cast<std::uint8_t>(writer),
          number,
          static_cast<std::int32_t>(number & 0xffff),
          writer};
}

TEST(EventRing, IsEmptyAtFirst) {
  const auto ring = std::make_unique<EventRing>();
  EXPECT_EQ(ring->noted(), 0u);
  EXPECT_TRUE(ring->events().empty());
}

TEST(EventRing, ReturnsWhatWasNotedInOrder) {
  const auto ring = std::make_unique<EventRing>();
  std::vector<RecordedEvent> noted;
  for (std::uint64_t n = 0; n < 100; ++n) {
    noted.push_back(event_of(n, 5));
    ring->note(noted.back());
  }
  noted.push_back({.time = Duration(-7), .kind = EventKind::closed, .exchange = 255, .number = ~std::uint64_t{0}});
  ring->note(noted.back());
  EXPECT_EQ(ring->events(), noted);
}

TEST(EventRing, KeepsTheLastWhenItWraps) {
  const auto ring = std::make_unique<EventRing>();
  const std::uint64_t all = 3 * EventRing::capacity + 17;
  for (std::uint64_t n = 0; n < all; ++n) ring->note(event_of(n, 1));
  const auto events = ring->events();
  EXPECT_EQ(ring->noted(), all);
  ASSERT_EQ(events.size(), EventRing::capacity);
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i], event_of(all - EventRing::capacity + i, 1));
}

/// Also under ThreadSanitizer. No event is a mixture of two, and each writer's are in its order. In a ring this small, writers and the
/// reader meet all the time.
TEST(EventRing, HasWritersAndReadersAtTheSameTime) {
  const auto ring = std::make_unique<EventRingOf<8>>();
  constexpr int writers = 4;
  constexpr std::uint64_t each = 400000;
  std::atomic<int> running{writers};
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&, writer] {
      for (std::uint64_t n = 1; n <= each; ++n) ring->note(event_of(n, writer));
      --running;
    });
  }
  std::size_t read = 0;
  const auto check = [&] {
    std::vector<std::uint64_t> last(writers, 0);
    const auto events = ring->events();
    read += events.size();
    for (const RecordedEvent& event : events) {
      ASSERT_LT(event.peer, writers);
      ASSERT_EQ(event, event_of(event.number, event.peer));
      ASSERT_GT(event.number, last[static_cast<std::size_t>(event.peer)]);
      last[static_cast<std::size_t>(event.peer)] = event.number;
    }
  };
  while (running > 0) check();
  for (std::thread& thread : threads) thread.join();
  check();
  EXPECT_EQ(ring->noted(), writers * each);
  EXPECT_GT(read, 0u);
}

}  // namespace
}  // namespace halocline
