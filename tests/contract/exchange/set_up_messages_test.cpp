// SPDX-License-Identifier: BSD-3-Clause
// Set-up messages between ranks that arrive late.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "exchange/detail/connections.hpp"
#include "halocline/domain.hpp"
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

/// What rank 0 sends to set up exchanges by direct of a field with so many buffers.
std::int64_t set_up_bytes(int buffers, bool own_arrays) {
  std::int64_t sent = 0;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    ForwardingCommunicator counted(comm);
    std::int64_t mine = 0;
    counted.sent_bytes = &mine;
    DomainOptions options;
    device::HostOptions host;
    host.ranks_on_node = 2;
    options.devices.existing.emplace(device::make_host_backend(host));
    options.routing.policy.order = {routing::Transport::self, routing::Transport::direct};
    Domain domain({8, 8, 16}, Stencil::box(1), counted, options);
    const auto u = domain.add_field<double>("u", {.buffers = buffers});
    domain.plan();
    std::vector<std::vector<double>> cells;
    for (int buffer = 0; own_arrays && buffer < buffers; ++buffer) {
      cells.emplace_back(1000);
      domain.use_array(u, domain.subdomains()[0].id(), buffer, cells.back().data() + 111, {8, 80, 800});
    }
    domain.realize();
    domain.exchange();
    domain.synchronize();
    if (comm.rank() == rank_id(0)) sent = mine;
    domain.close();
  });
  return sent;
}

/// Arrays that others cannot store to are not described to them.
TEST(SetUpMessages, of_direct_have_the_arrays_that_are_stored_to) {
  EXPECT_GT(set_up_bytes(9, false), set_up_bytes(1, false));
  EXPECT_EQ(set_up_bytes(9, true), set_up_bytes(1, true));
}

}  // namespace
}  // namespace halocline::test
