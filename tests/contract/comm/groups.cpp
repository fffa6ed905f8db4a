// SPDX-License-Identifier: BSD-3-Clause
#include "comm/gather.hpp"
#include "comm/requests.hpp"
#include "contract/comm/comm_contract.hpp"

namespace halocline::test {
namespace {

using comm::RankGroup;
using testing::HasSubstr;

TEST_P(CommContract, SplitOrdersByKeyThenByRank) {
  on_ranks([](RankGroup& comm) {
    const auto me = static_cast<int>(comm.rank().value());
    const auto reversed = comm.split(me % 2, -me);
    EXPECT_EQ(reversed->backend(), comm.backend());
    const auto members = comm::gather_value(*reversed, me);
    std::vector<int> expected;
    for (int rank = comm.size() - 1; rank >= 0; --rank) {
      if (rank % 2 == me % 2) expected.push_back(rank);
    }
    EXPECT_EQ(members, expected);
    EXPECT_EQ(members[reversed->rank().index()], me);

    const auto same_key = comm.split(3, 7);
    EXPECT_EQ(same_key->rank(), comm.rank());
    EXPECT_EQ(same_key->size(), comm.size());
    reversed->close();
    same_key->close();
  });
}

TEST_P(CommContract, AGroupInheritsTheTimeout) {
  on_ranks([](RankGroup& comm) {
    comm.set_timeout(std::chrono::milliseconds(12345));
    const auto group = comm.split(0, 0);
    const auto node = comm.split_by_node(1);
    EXPECT_EQ(group->timeout(), std::chrono::milliseconds(12345));
    EXPECT_EQ(node->timeout(), std::chrono::milliseconds(12345));
    group->close();
    node->close();
  });
}

TEST_P(CommContract, ATimeoutIsAboveZeroAndOfThisCentury) {
  on_ranks([](RankGroup& comm) {
    comm::Communicator handle(comm);
    const Duration before = handle.timeout();
    const auto refusal = [&](Duration timeout) {
      return message_of<InvalidArgument>([&] { handle.set_timeout(timeout); });
    };
    EXPECT_EQ(refusal(Duration(0)), "timeout is 0 s; allowed is above 0 and up to 1e9");
    EXPECT_EQ(refusal(std::chrono::seconds(-2)), "timeout is -2 s; allowed is above 0 and up to 1e9");
    EXPECT_EQ(refusal(std::chrono::seconds(1'000'000'001)),
              "timeout is 1000000001 s; allowed is above 0 and up to 1e9");
    EXPECT_EQ(handle.timeout(), before);
    handle.set_timeout(std::chrono::seconds(1'000'000'000));
    EXPECT_EQ(comm.timeout(), std::chrono::seconds(1'000'000'000));
    handle.set_timeout(before);
  });
}

TEST_P(CommContract, CallsThatBeginAreTheSameOnAllRanks) {
  on_ranks([](RankGroup& comm) {
    comm::Communicator handle(comm);
    handle.begin("read(a)");
    if (comm.size() == 1) return;
    const bool first = comm.rank() == rank_id(0);
    const std::string message = message_of<InvalidArgument>([&] { handle.begin(first ? "read(a)" : "read(b)"); });
    EXPECT_THAT(message, HasSubstr("the ranks are in different collective calls (rank 0: read(a), rank"));
    EXPECT_THAT(message, HasSubstr(": read(b)); allowed is the same order on all ranks"));
    handle.begin("read(c)");
  });
}

TEST_P(CommContract, MessagesOfTwoGroupsAreNeverMixedUp) {
  on_ranks([](RankGroup& comm) {
    const auto other = comm.split(0, static_cast<int>(comm.rank().value()));
    std::vector<std::byte> from_comm(1), from_other(1);
    const std::vector<std::byte> one(1, std::byte{1}), two(1, std::byte{2});
    const auto a = comm.send(one, next(comm), 4);
    const auto b = other->send(two, next(comm), 4);
    // Received in a different order than sent.
    const auto receive_other = other->receive(from_other, previous(comm), 4);
    const auto receive_comm = comm.receive(from_comm, previous(comm), 4);
    finish(comm, *receive_other);
    finish(comm, *receive_comm);
    finish(comm, *a);
    finish(comm, *b);
    EXPECT_EQ(from_comm[0], std::byte{1});
    EXPECT_EQ(from_other[0], std::byte{2});
    other->close();
  });
}

TEST_P(CommContract, AColourBelowZeroIsRefusedOnAllRanks) {
  on_ranks([](RankGroup& comm) {
    const auto bad = comm.size() - 1;
    const auto message =
        message_of<InvalidArgument>([&] { (void)comm.split(comm.rank() == rank_id(bad) ? -1 : 0, 0); });
    EXPECT_EQ(message, "rank " + std::to_string(bad) + ": split: colour is -1; allowed is 0 or more");
    EXPECT_FALSE(comm.poisoned());
    comm.barrier();
  });
}

TEST_P(CommContract, OneMachineIsOneNode) {
  on_ranks([](RankGroup& comm) {
    const auto node = comm.split_by_node(std::nullopt);
    EXPECT_EQ(node->size(), comm.size());
    EXPECT_EQ(node->rank(), comm.rank());
    node->close();
  });
}

TEST_P(CommContract, VirtualNodesAreConsecutiveRanksAndTheLastMayBeSmaller) {
  on_ranks([](RankGroup& comm) {
    const auto me = static_cast<int>(comm.rank().value());
    for (const int k : {1, 2, 3, comm.size(), comm.size() + 5}) {
      const auto node = comm.split_by_node(k);
      std::vector<int> expected;
      for (int rank = me / k * k; rank < std::min(comm.size(), me / k * k + k); ++rank) expected.push_back(rank);
      EXPECT_EQ(comm::gather_value(*node, me), expected) << k << " ranks a node";
      const auto window = node->shared_window(64);
      EXPECT_EQ(window->segment(rank_id(node->size() - 1)).size(), 64U);
      node->close();
    }
    EXPECT_THAT(message_of<InvalidArgument>([&] { (void)comm.split_by_node(0); }),
                HasSubstr("ranks per node is 0; allowed is 1 or more"));
    comm.barrier();
  });
}

TEST_P(CommContract, AClosedCommunicatorRefusesWork) {
  on_ranks([](RankGroup& comm) {
    const auto group = comm.split(0, 0);
    group->close();
    group->close();
    EXPECT_THROW(group->barrier(), InternalError);
    std::vector<std::byte> bytes(1);
    EXPECT_THROW((void)group->send(bytes, rank_id(0), 0), InternalError);
    comm.barrier();
  });
}

}  // namespace
}  // namespace halocline::test
