// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cmath>
#include <limits>

#include "comm/gather.hpp"
#include "comm/requests.hpp"
#include "contract/comm/comm_contract.hpp"

namespace halocline::test {
namespace {

using comm::RankGroup;
using comm::Reduction;

std::string text_of_rank(std::size_t rank, std::size_t round) {
  return std::string((rank * 37 + round) % 5 == 0 ? 0 : rank * 1000 + round, static_cast<char>('a' + rank));
}

TEST_P(CommContract, KnowsItsRankAndSize) {
  on_ranks([](RankGroup& comm) {
    const auto ranks = comm::gather_value(comm, comm.rank());
    ASSERT_EQ(std::ssize(ranks), comm.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) EXPECT_EQ(ranks[i].index(), i);
  });
}

TEST_P(CommContract, NobodyLeavesABarrierBeforeAllHaveCome) {
  on_ranks([](RankGroup& comm) {
    const auto window = comm.shared_window(sizeof(std::int64_t));
    const auto round_of = [&](std::int64_t rank) {
      return std::atomic_ref(*reinterpret_cast<std::int64_t*>(window->segment(rank_id(rank)).data()));
    };
    for (std::int64_t round = 1; round <= 50; ++round) {
      round_of(comm.rank().value()).store(round);
      comm.barrier();
      for (int rank = 0; rank < comm.size(); ++rank) ASSERT_GE(round_of(rank).load(), round);
    }
  });
}

TEST_P(CommContract, BroadcastBringsTheLengthAlong) {
  on_ranks([](RankGroup& comm) {
    for (int root = 0; root < comm.size(); ++root) {
      for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{100'000}}) {
        const std::string expected(length, static_cast<char>('A' + root));
        auto bytes = comm.rank() == rank_id(root) ? to_bytes(expected) : to_bytes("something else");
        comm.broadcast(bytes, rank_id(root));
        EXPECT_EQ(to_text(bytes), expected);
      }
    }
  });
}

TEST_P(CommContract, AllGatherTakesUnequalLengths) {
  on_ranks([](RankGroup& comm) {
    for (std::size_t round = 0; round < 20; ++round) {
      const auto all = comm.all_gather(to_bytes(text_of_rank(comm.rank().index(), round)));
      ASSERT_EQ(std::ssize(all), comm.size());
      for (std::size_t rank = 0; rank < all.size(); ++rank) EXPECT_EQ(to_text(all[rank]), text_of_rank(rank, round));
    }
  });
}

TEST_P(CommContract, DoublesAreAddedInRankOrder) {
  on_ranks([](RankGroup& comm) {
    // Terms whose sum depends on the order of additions.
    const auto term = [](std::int64_t rank) { return rank == 0 ? 1e16 : 1.0; };
    double expected = term(0);
    for (std::int64_t rank = 1; rank < comm.size(); ++rank) expected += term(rank);
    for (int round = 0; round < 10; ++round) {
      EXPECT_EQ(comm.all_reduce(term(comm.rank().value()), Reduction::sum), expected);
    }
  });
}

TEST_P(CommContract, ReducesElementByElement) {
  on_ranks([](RankGroup& comm) {
    const auto me = comm.rank().value();
    const std::int64_t n = comm.size();
    std::vector<double> doubles{static_cast<double>(me), static_cast<double>(-me), 0.5};
    auto lowest = doubles, highest = doubles;
    comm.all_reduce(lowest, Reduction::min);
    comm.all_reduce(highest, Reduction::max);
    EXPECT_EQ(lowest, (std::vector<double>{0, -static_cast<double>(n - 1), 0.5}));
    EXPECT_EQ(highest, (std::vector<double>{static_cast<double>(n - 1), 0, 0.5}));

    constexpr auto big = std::int64_t{1} << 60;  // not exact as a double
    EXPECT_EQ(comm.all_reduce(big + me, Reduction::max), big + n - 1);
    EXPECT_EQ(comm.all_reduce(-big - me, Reduction::min), -big - n + 1);
    EXPECT_EQ(comm.all_reduce(me + 1, Reduction::sum), n * (n + 1) / 2);
    std::vector<std::int64_t> pair{me, 10 * me};
    comm.all_reduce(pair, Reduction::sum);
    EXPECT_EQ(pair, (std::vector<std::int64_t>{n * (n - 1) / 2, 10 * n * (n - 1) / 2}));
    comm.all_reduce(std::span<double>(), Reduction::sum);
    comm.all_reduce(std::span<std::int64_t>(), Reduction::max);
  });
}

TEST_P(CommContract, ANanAnywhereIsTheAnswer) {
  on_ranks([](RankGroup& comm) {
    for (int bad = 0; bad < comm.size(); ++bad) {
      const double mine = comm.rank() == rank_id(bad) ? std::numeric_limits<double>::quiet_NaN() : 1.0;
      for (const auto reduction : {Reduction::sum, Reduction::min, Reduction::max}) {
        EXPECT_TRUE(std::isnan(comm.all_reduce(mine, reduction)));
      }
    }
  });
}

TEST_P(CommContract, SegmentsOfAWindowAreSeenByAll) {
  on_ranks([](RankGroup& comm) {
    const auto bytes_of = [](std::size_t rank) { return rank % 3 == 1 ? std::size_t{0} : 100 * rank + 8; };
    const auto window = comm.shared_window(bytes_of(comm.rank().index()));
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(comm.size()); ++rank) {
      const auto segment = window->segment(rank_id(static_cast<std::int64_t>(rank)));
      ASSERT_EQ(segment.size(), bytes_of(rank));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(segment.data()) % 64, 0U);
      for (const auto byte : segment) ASSERT_EQ(byte, std::byte{0});
    }
    comm.barrier();
    // Each rank writes into its successor's segment, and every rank reads all segments.
    for (auto& byte : window->segment(next(comm))) byte = static_cast<std::byte>(comm.rank().value() + 1);
    comm.barrier();
    for (int rank = 0; rank < comm.size(); ++rank) {
      const auto writer = (rank + comm.size() - 1) % comm.size();
      for (const auto byte : window->segment(rank_id(rank))) ASSERT_EQ(byte, static_cast<std::byte>(writer + 1));
    }
    EXPECT_THROW((void)window->segment(rank_id(comm.size())), InvalidArgument);
    comm.barrier();
  });
}

TEST_P(CommContract, AWindowOutlivesTheOtherRanksWindows) {
  on_ranks([](RankGroup& comm) {
    auto window = comm.shared_window(4096);
    window->segment(comm.rank())[17] = static_cast<std::byte>(comm.rank().value() + 50);
    comm.barrier();
    if (comm.rank() != rank_id(0)) window.reset();
    comm.barrier();
    if (window) {
      for (int rank = 0; rank < comm.size(); ++rank) {
        EXPECT_EQ(window->segment(rank_id(rank))[17], static_cast<std::byte>(rank + 50));
      }
    }
  });
}

}  // namespace
}  // namespace halocline::test
