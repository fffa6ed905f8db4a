// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include "comm/requests.hpp"
#include "contract/comm/comm_contract.hpp"

namespace halocline::test {
namespace {

using comm::RankGroup;
using testing::HasSubstr;

TEST_P(CommContract, MessagesOfOneTagArriveInOrderAndTagsAreApart) {
  on_ranks([](RankGroup& comm) {
    constexpr int count = 20;
    std::vector<std::vector<std::byte>> sent, received;
    std::vector<std::unique_ptr<comm::Request>> requests;
    for (int i = 0; i < count; ++i) {
      for (const int tag : {0, 7, 32767}) {
        const auto& bytes = sent.emplace_back(to_bytes("rank " + std::to_string(comm.rank().value()) + " tag " +
                                                       std::to_string(tag) + " number " + std::to_string(100 + i)));
        requests.push_back(comm.send(bytes, next(comm), tag));
      }
    }
    // Received by tag, in a different order than sent.
    for (const int tag : {32767, 0, 7}) {
      for (int i = 0; i < count; ++i) {
        const std::string expected = "rank " + std::to_string(previous(comm).value()) + " tag " + std::to_string(tag) +
                                     " number " + std::to_string(100 + i);
        std::vector<std::byte> bytes(expected.size());
        const auto request = comm.receive(bytes, previous(comm), tag);
        finish(comm, *request);
        EXPECT_EQ(to_text(bytes), expected);
      }
    }
    for (const auto& request : requests) finish(comm, *request);
  });
}

TEST_P(CommContract, ReceivesPostedFirstGetTheMessagesInTheOrderOfPostingNotOfTesting) {
  on_ranks([](RankGroup& comm) {
    std::vector<std::byte> a(1), b(1), c(1);
    auto first = comm.receive(a, previous(comm), 3);
    auto second = comm.receive(b, previous(comm), 3);
    auto third = comm.receive(c, previous(comm), 3);
    const auto bytes = to_bytes("abc");
    for (std::size_t i = 0; i < 3; ++i) {
      const auto request = comm.send(std::span(bytes).subspan(i, 1), next(comm), 3);
      finish(comm, *request);
    }
    finish(comm, *third);
    finish(comm, *second);
    finish(comm, *first);
    EXPECT_EQ(to_text(a) + to_text(b) + to_text(c), "abc");
    EXPECT_TRUE(first->test()) << "stays done";
  });
}

TEST_P(CommContract, AMessageToOneselfIsReceived) {
  on_ranks([](RankGroup& comm) {
    std::vector<std::int64_t> out(3000), in(3000, -1);
    std::iota(out.begin(), out.end(), comm.rank().value());
    const auto receive = comm.receive(std::as_writable_bytes(std::span(in)), comm.rank(), 5);
    const auto send = comm.send(std::as_bytes(std::span(out)), comm.rank(), 5);
    finish(comm, *receive);
    finish(comm, *send);
    EXPECT_EQ(in, out);
  });
}

TEST_P(CommContract, LargeMessagesArriveWhole) {
  on_ranks([](RankGroup& comm) {
    std::vector<std::int64_t> out(300'000), in(out.size(), -1), expected(out.size());
    std::iota(out.begin(), out.end(), 1000 * comm.rank().value());
    std::iota(expected.begin(), expected.end(), 1000 * previous(comm).value());
    const auto send = comm.send(std::as_bytes(std::span(out)), next(comm), 5);
    const auto receive = comm.receive(std::as_writable_bytes(std::span(in)), previous(comm), 5);
    finish(comm, *receive);
    finish(comm, *send);
    EXPECT_EQ(in, expected);
  });
}

TEST_P(CommContract, AnEmptyMessageIsAMessage) {
  on_ranks([](RankGroup& comm) {
    std::vector<std::byte> none;
    const auto receive = comm.receive(none, previous(comm), 1);
    EXPECT_TRUE(comm.size() > 1 || !receive->test()) << "not done before it was sent";
    const auto send = comm.send(none, next(comm), 1);
    finish(comm, *receive);
    finish(comm, *send);
  });
}

TEST_P(CommContract, AMessageOfAnotherLengthIsAnErrorThatNamesBoth) {
  on_ranks([](RankGroup& comm) {
    const std::string ranks = "rank " + std::to_string(comm.rank().value()) + ": receive from rank " +
                              std::to_string(previous(comm).value()) + ", tag 9: ";
    for (const auto& [sent, expected] : {std::pair(4, 10), std::pair(10, 4), std::pair(0, 1), std::pair(1, 0)}) {
      std::vector<std::byte> out(static_cast<std::size_t>(sent)), in(static_cast<std::size_t>(expected));
      const auto receive = comm.receive(in, previous(comm), 9);
      const auto send = comm.send(out, next(comm), 9);
      finish(comm, *send);
      const auto message = message_of<CommunicationError>([&, &r = receive] { finish(comm, *r); });
      EXPECT_EQ(message, ranks + "the message has " + std::to_string(sent) + " bytes; expected were " +
                             std::to_string(expected));
    }
    EXPECT_FALSE(comm.poisoned());
    comm.barrier();
  });
}

TEST_P(CommContract, WhatCannotBeARankOrATagIsRefused) {
  on_ranks([](RankGroup& comm) {
    std::vector<std::byte> bytes(1);
    EXPECT_THAT(
        message_of<InvalidArgument>([&] { (void)comm.send(bytes, rank_id(comm.size()), 0); }),
        HasSubstr("rank is " + std::to_string(comm.size()) + "; allowed is 0 to " + std::to_string(comm.size() - 1)));
    EXPECT_THAT(message_of<InvalidArgument>([&] { (void)comm.receive(bytes, rank_id(0), 32768); }),
                HasSubstr("tag is 32768; allowed is 0 to 32767"));
    const auto expect_refused = [&](const auto& call) {
      EXPECT_THROW((void)call(rank_id(0), -1), InvalidArgument);
      EXPECT_THROW((void)call(rank_id(0), 32768), InvalidArgument);
      EXPECT_THROW((void)call(rank_id(), 0), InvalidArgument);
      EXPECT_THROW((void)call(rank_id(-2), 0), InvalidArgument);
    };
    expect_refused([&](rank_id rank, int tag) { return comm.send(bytes, rank, tag); });
    expect_refused([&](rank_id rank, int tag) { return comm.receive(bytes, rank, tag); });
    expect_refused([&](rank_id rank, int tag) { return comm.persistent_send(bytes, rank, tag); });
    expect_refused([&](rank_id rank, int tag) { return comm.persistent_receive(bytes, rank, tag); });
    expect_refused([&](rank_id rank, int tag) { return comm.persistent_receive_at_most(bytes, rank, tag); });
    EXPECT_THROW(comm.broadcast(bytes, rank_id(comm.size())), InvalidArgument);
    comm.barrier();
  });
}

TEST_P(CommContract, AReceiveThatIsGivenUpLeavesTheMessageToTheNext) {
  on_ranks([](RankGroup& comm) {
    std::vector<std::byte> wrong(1, std::byte{99}), right(1);
    auto dropped = comm.receive(wrong, previous(comm), 2);
    EXPECT_TRUE(comm.size() > 1 || !dropped->test());
    dropped.reset();
    comm.barrier();
    const std::vector<std::byte> bytes(1, std::byte{42});
    const auto send = comm.send(bytes, next(comm), 2);
    const auto receive = comm.receive(right, previous(comm), 2);
    finish(comm, *receive);
    finish(comm, *send);
    EXPECT_EQ(right[0], std::byte{42});
    EXPECT_EQ(wrong[0], std::byte{99});
  });
}

TEST_P(CommContract, WhyDeviceMemoryIsNotTakenIsSaid) {
  on_ranks([](RankGroup& comm) {
    const comm::DeviceSupport support = comm.device_support();
    using enum comm::DeviceSupport::Verdict;
    EXPECT_EQ(support.why.empty(), support.verdict == yes) << support.why;
    EXPECT_TRUE(comm.backend() == comm::CommBackend::mpi || support.verdict == no) << "copied by the host";
  });
}

TEST_P(CommContract, PersistentRequestsRestart) {
  on_ranks([](RankGroup& comm) {
    std::int64_t out = 0, in = -1;
    const auto send = comm.persistent_send(std::as_bytes(std::span(&out, 1)), next(comm), 11);
    const auto receive = comm.persistent_receive(std::as_writable_bytes(std::span(&in, 1)), previous(comm), 11);
    EXPECT_TRUE(send->test() && receive->test()) << "nothing is under way";
    for (int round = 0; round < 50; ++round) {
      receive->start();
      out = 100 * round + comm.rank().value();
      send->start();
      finish(comm, *receive);
      finish(comm, *send);
      ASSERT_EQ(in, 100 * round + previous(comm).value());
      EXPECT_TRUE(receive->test());
    }
  });
}

// A test of one request may find others done: what it found is theirs, until they are asked.
TEST_P(CommContract, RequestsKeepWhatTheTestOfAnotherFound) {
  on_ranks([](RankGroup& comm) {
    constexpr std::size_t count = 8;
    std::vector<std::vector<std::byte>> in(count, std::vector<std::byte>(4)), out(count, to_bytes("0000"));
    std::vector<std::byte> shorter(3), last_in(1), last_out(1, std::byte{9});
    std::vector<std::unique_ptr<comm::Request>> requests;
    std::vector<std::unique_ptr<comm::PersistentRequest>> persistent;
    for (std::size_t i = 0; i < count; ++i) {
      out[i][0] = std::byte{static_cast<unsigned char>(i)};
      const int tag = static_cast<int>(i);
      if (i % 2 == 0) {
        requests.push_back(comm.receive(in[i], previous(comm), tag));
      } else {
        persistent.push_back(comm.persistent_receive(in[i], previous(comm), tag));
        persistent.back()->start();
      }
    }
    const auto wrong = comm.receive(shorter, previous(comm), 100);
    const auto last = comm.receive(last_in, previous(comm), 200);
    for (std::size_t i = 0; i < count; ++i) requests.push_back(comm.send(out[i], next(comm), static_cast<int>(i)));
    const auto longer = comm.send(out[0], next(comm), 100);
    comm.barrier();
    const auto sent = comm.send(last_out, next(comm), 200);
    finish(comm, *last);
    EXPECT_THROW(finish(comm, *wrong), CommunicationError);
    for (const auto& request : persistent) finish(comm, *request);
    for (const auto& request : requests) finish(comm, *request);
    finish(comm, *longer);
    finish(comm, *sent);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(in[i], out[i]) << i;
    // Again, with requests that another's test has finished before.
    for (std::size_t i = 1; i < count; i += 2) {
      persistent[i / 2]->start();
      const auto again = comm.send(out[i], next(comm), static_cast<int>(i));
      finish(comm, *persistent[i / 2]);
      finish(comm, *again);
    }
  });
}

TEST_P(CommContract, APersistentRequestUnderWayDoesNotStartAgain) {
  on_ranks([](RankGroup& comm) {
    std::vector<std::byte> in(2), out(2, std::byte{1});
    const auto receive = comm.persistent_receive(in, previous(comm), 11);
    receive->start();
    EXPECT_THROW(receive->start(), InternalError);
    comm.barrier();
    const auto send = comm.send(out, next(comm), 11);
    finish(comm, *receive);
    finish(comm, *send);
    EXPECT_EQ(in, out);
  });
}

TEST_P(CommContract, AReceiveOfAtMostSoManyBytesTakesShorterMessagesAndNoLongerOne) {
  on_ranks([](RankGroup& comm) {
    for (const std::size_t bytes : {std::size_t{10}, std::size_t{4}, std::size_t{0}, std::size_t{11}}) {
      std::vector<std::byte> in(10, std::byte{7});
      const std::vector<std::byte> out(bytes, std::byte{1});
      const auto receive = comm.persistent_receive_at_most(in, previous(comm), 13);
      receive->start();
      comm.barrier();
      const auto send = comm.send(out, next(comm), 13);
      if (bytes > in.size()) {
        EXPECT_THROW(finish(comm, *receive), CommunicationError);
      } else {
        finish(comm, *receive);
        for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(in[i], std::byte(i < bytes ? 1 : 7)) << i;
      }
      finish(comm, *send);
    }
  });
}

TEST_P(CommContract, APersistentReceiveSurvivesAMessageOfAnotherLength) {
  on_ranks([](RankGroup& comm) {
    std::vector<std::byte> in(2), longer(30), right(2, std::byte{5});
    const auto receive = comm.persistent_receive(in, previous(comm), 12);
    receive->start();
    const auto bad = comm.send(longer, next(comm), 12);
    EXPECT_THROW(finish(comm, *receive), CommunicationError);
    finish(comm, *bad);
    comm.barrier();
    receive->start();
    const auto good = comm.send(right, next(comm), 12);
    finish(comm, *receive);
    finish(comm, *good);
    EXPECT_EQ(in, right);
  });
}

}  // namespace
}  // namespace halocline::test
