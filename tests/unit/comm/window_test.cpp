// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "comm/detail/anonymous_window.hpp"
#include "comm/local_ranks.hpp"
#include "contract/comm/comm_contract.hpp"
#include "halocline/session.hpp"

// The window of the MPI backend, with ranks as threads.
namespace halocline::test {
namespace {

TEST(AnonymousWindow, IsSharedByAllRanks) {
  comm::run_as_threads(3, [](comm::RankGroup& comm) {
    const std::size_t bytes = comm.rank() == rank_id(1) ? 0 : 5000;
    const auto window = comm::make_anonymous_window(comm, bytes);
    EXPECT_EQ(window->segment(rank_id(1)).size(), 0U);
    EXPECT_EQ(window->segment(rank_id(2)).size(), 5000U);
    if (comm.rank() == rank_id(0)) window->segment(rank_id(2))[4999] = std::byte{7};
    comm.barrier();
    EXPECT_EQ(window->segment(rank_id(2))[4999], std::byte{7});
    comm.barrier();
  });
}

TEST(AnonymousWindow, OneRanksFailureIsAllRanksError) {
  std::atomic<int> refused = 0;
  comm::run_as_threads(3, [&](comm::RankGroup& comm) {
    // Exceeds the largest file size, so that the kernel refuses at once; a smaller request might be attempted.
    const std::size_t bytes = comm.rank() == rank_id(1) ? std::size_t{1} << 63 : 64;
    EXPECT_THAT(message_of<ResourceError>([&] { (void)comm::make_anonymous_window(comm, bytes); }),
                testing::StartsWith("rank 1: "));
    ++refused;
    comm.barrier();
  });
  EXPECT_EQ(refused, 3);
}

}  // namespace
}  // namespace halocline::test
