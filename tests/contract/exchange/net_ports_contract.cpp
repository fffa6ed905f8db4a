// SPDX-License-Identifier: BSD-3-Clause
#include "contract/exchange/net_ports.hpp"

#include <gmock/gmock.h>

namespace halocline::test {
namespace {

using testing::HasSubstr;

TEST_P(NetPorts, every_exchange_has_its_own_cells) {
  Pair pair(GetParam());
  for (int e = 0; e < 200; ++e) {
    pair.enqueue(0);
    pair.enqueue(1);
    if (e % 20 == 0) pair.finish();
  }
  pair.finish();
  EXPECT_EQ(pair.made[0], 200U);
  EXPECT_EQ(pair.made[1], 200U);
  EXPECT_EQ(pair.wrong, 0);
  EXPECT_TRUE(pair.engine->done(200));
  EXPECT_FALSE(pair.engine->done(201));
  if (pair.free != nullptr) {
    EXPECT_GT(pair.free->overtakings(), 0);
  }
}

/// Nothing but `ready` holds the sender back.
TEST_P(NetPorts, a_sender_that_receives_nothing_is_one_exchange_ahead_at_most) {
  Pair pair(GetParam(), {7, 7}, 20s, true);
  constexpr int exchanges = 8;  // a GPU takes a few kernels and calls of the host before a launch blocks
  for (int e = 0; e < exchanges; ++e) pair.enqueue(0);
  const Deadline soon(Clock::steady(), 50ms);
  (void)pair.backend->wait_until([&] { return pair.engine->progress() && false; }, soon);
  EXPECT_EQ(pair.made[0], 0U) << "the receiver has not begun";
  for (int e = 0; e < exchanges; ++e) pair.enqueue(1);
  pair.finish();
  EXPECT_EQ(pair.made[0], exchanges);
  EXPECT_EQ(pair.made[1], exchanges);
  EXPECT_EQ(pair.wrong, 0);
}

TEST_P(NetPorts, graphs_of_one_exchange_take_both_turns) {
  Pair pair(GetParam());
  std::array<std::unique_ptr<device::Graph>, 2> graphs;
  pair.enqueue(0);
  pair.enqueue(1);
  pair.finish();  // making a graph waits for a GPU
  for (std::size_t d = 0; d < 2; ++d) {
    pair.streams[d]->begin_capture();
    pair.enqueue(d);
    graphs[d] = pair.streams[d]->end_capture();
  }
  for (int e = 0; e < 51; ++e) {
    for (std::size_t d = 0; d < 2; ++d) pair.streams[d]->launch(*graphs[d]);
    if (e % 5 == 0) pair.finish();
  }
  pair.enqueue(0);
  pair.enqueue(1);
  pair.finish();
  EXPECT_EQ(pair.made[0], 53U);
  EXPECT_EQ(pair.wrong, 0);
}

/// No round trip: the receiver has not begun, and its `ready` is only waited for at the end.
TEST_P(NetPorts, cells_of_the_first_exchange_land_before_the_receiver_begins) {
  Pair pair(GetParam());
  pair.enqueue(0);
  const device::Flag& arrived = *pair.data[0]->flag(true, 1);
  EXPECT_TRUE(pair.backend->wait_until(
      [&] {
        for (int i = 0; i < 300 && pair.engine->progress(); ++i) {
        }
        return std::atomic_ref(const_cast<std::uint64_t&>(arrived.epoch)).load() == 1;
      },
      Deadline(Clock::steady(), 30s)));
  EXPECT_EQ(pair.made[0], 0U);
  pair.enqueue(1);
  pair.finish();
  EXPECT_EQ(pair.wrong, 0);
}

TEST_P(NetPorts, different_tokens_are_an_error_at_both_ends) {
  Pair pair(GetParam(), {7, 8});
  pair.enqueue(0);
  pair.enqueue(1);
  for (std::size_t d = 0; d < 2; ++d) EXPECT_THAT(pair.error(d), HasSubstr("the two sides disagree")) << d;
}

TEST_P(NetPorts, a_receiver_that_never_begins_is_named) {
  Pair pair(GetParam(), {7, 7}, 100ms);
  pair.enqueue(0);
  EXPECT_THAT(pair.error(0), testing::AllOf(HasSubstr("device 0, waiting for"), HasSubstr("not there after")));
}

}  // namespace
}  // namespace halocline::test
