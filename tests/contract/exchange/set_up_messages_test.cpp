// SPDX-License-Identifier: BSD-3-Clause
// Set-up messages between ranks that arrive late.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "comm/local_ranks.hpp"
#include "exchange/detail/connections.hpp"
#include "halocline/session.hpp"
#include "support/error_of.hpp"
#include "support/forwarding_communicator.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// AddressSanitizer detects a use of freed memory.
TEST(SetUpMessages, own_their_bytes_until_they_are_there) {
  const auto serial = comm::serial();
  ForwardingCommunicator late(*serial);
  late.set_timeout(20ms);
  late.hold_messages = true;
  EXPECT_THAT(error_of<DeadlineError>([&] {
                static_cast<void>(exchange::exchange_blobs(late, {{rank_id(0), std::vector<std::byte>(3)}}));
              }),
              HasSubstr("set-up lengths"));
  EXPECT_TRUE(late.poisoned()) << "the ranks are out of step";
  ASSERT_EQ(late.held.size(), 1u);
  std::memset(late.held[0].data(), 1, late.held[0].size());  // it arrives after the deadline
}

}  // namespace
}  // namespace halocline::test
