// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "exchange/transport/factory.hpp"
#include "halocline/error.hpp"
#include "support/error_of.hpp"

namespace halocline::exchange {
namespace {

Channel channel() {
  Channel channel;
  channel.message.from = subdomain_id(3);
  channel.message.to = subdomain_id(5);
  channel.sender = rank_id(1);
  channel.receiver = rank_id(2);
  channel.transport = routing::Transport::mpi_staged;
  return channel;
}

/// Errors about late messages, and rows of traces.
TEST(Channel, IsNamedByItsEndsItsTransportAndItsDirection) {
  Channel one = channel();
  EXPECT_EQ(one.label(), "subdomain 3 -> 5 (mpi_staged, rank 1 -> rank 2)");
  EXPECT_EQ(one.track("pack"), "pack 3 -> 5 (mpi_staged)");
  one.direction = Direction::of(0, -1, 1);
  EXPECT_EQ(one.label(), "subdomain 3 -> 5 towards (+0, -1, +1) (mpi_staged, rank 1 -> rank 2)");
  EXPECT_EQ(one.track("pack"), "pack 3 -> 5 towards (+0, -1, +1) (mpi_staged)");
}

TEST(Channel, OfATransportThatDoesNotExistIsAnError) {
  Channel one = channel();
  one.transport = static_cast<routing::Transport>(99);
  Context context;
  EXPECT_EQ(test::error_of<InternalError>([&] { static_cast<void>(make_ends(one, context, rank_id(1))); }),
            "a route without a transport");
}

}  // namespace
}  // namespace halocline::exchange
