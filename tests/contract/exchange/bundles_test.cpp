// SPDX-License-Identifier: BSD-3-Clause
// Messages by rank, with ranks as threads: their number; every cell with delays everywhere, in many chunks; parts that are late;
// failures and disagreements; two domains that are finished in opposite orders. The contract suite compares all shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <mutex>
#include <thread>

#include "comm/gather.hpp"
#include "contract/exchange/delayed_chunks.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "numbered.hpp"
#include "plan/plan.hpp"
#include "ranks.hpp"
#include "support/effort.hpp"
#include "support/halo_case.hpp"
#include "support/halo_values.hpp"
#include "support/lattice.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Two ranks with two devices each, as 1 x 2 x 2 subdomains.
DomainOptions two_by_two(Duration timeout = 20s, std::shared_ptr<device::Injector> injector = nullptr) {
  DomainOptions options = options_by_rank(std::move(injector), timeout);
  options.partition.method = partition::Method::given;
  options.partition.node_grid = Vec3{1, 1, 1};
  options.partition.device_grid = Vec3{1, 2, 2};
  return options;
}

TEST(Bundles, are_as_many_as_there_are_pairs_of_ranks) {
  for (const int ranks : {1, 2, 3}) {
    std::mutex one;
    std::int64_t sent = 0;
    std::int64_t bytes = 0;
    const auto all = outcomes(ranks, [&](comm::RankGroup& comm) {
      std::map<routing::Messages, exchange::Traffic> traffic;
      for (const auto messages : {routing::Messages::by_neighbour, routing::Messages::by_rank}) {
        DomainOptions options = options_by_rank(nullptr, 20s);
        options.routing.messages = messages;
        Numbered made(comm, options);
        made.domain.accumulate();
        traffic[messages] = internals(made.domain).traffic(routing::Transport::mpi_staged);
        std::int64_t routed = 0;
        for (const RoutedMessage& message : internals(made.domain).gather_routes()) routed += message.messages;
        std::int64_t of_all = 0;
        for (const std::int64_t m : comm::gather_value(comm, traffic[messages].messages)) of_all += m;
        EXPECT_EQ(routed, of_all);
        EXPECT_EQ(internals(made.domain).returned_traffic(routing::Transport::mpi_staged).messages,
                  traffic[messages].messages);
        made.domain.close();
      }
      EXPECT_EQ(traffic[routing::Messages::by_rank].bytes, traffic[routing::Messages::by_neighbour].bytes);
      const std::lock_guard lock(one);
      sent += traffic[routing::Messages::by_rank].messages;
      bytes += traffic[routing::Messages::by_rank].bytes;
    });
    for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
    EXPECT_EQ(sent, ranks * ranks) << "a rank's subdomains are neighbours of all others, and each other's";
    EXPECT_GT(bytes, 0);
  }
}

/// Two bundles a rank, to itself and to the other, with two messages from and to each of its two subdomains.
TEST(Bundles, are_packed_and_unpacked_by_one_operation_of_each_device) {
  const auto all = outcomes(2, [](comm::RankGroup& comm) {
    const auto counted = std::make_shared<CountOperations>();
    Numbered made(comm, two_by_two(20s, counted));
    for (int step = 0; step < 3; ++step) {
      made.fill(step);
      for (const auto operation : {device::Operation::copy_list, device::Operation::wait_event}) {
        static_cast<void>(counted->take(operation));
      }
      made.domain.exchange();
      made.domain.synchronize();
      EXPECT_EQ(counted->take(device::Operation::copy_list), 2 * 2 * 2);
      // Each of these waits for the user's stream, which waits for each.
      EXPECT_EQ(counted->take(device::Operation::wait_event), 2 * 2 * 2 * 2);
      EXPECT_EQ(made.wrong(step), 0);
    }
    made.domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

class BundlesInChunks : public testing::TestWithParam<std::int64_t> {};

TEST_P(BundlesInChunks, every_cell_is_as_geometry_says_with_delays_everywhere) {
  expect_right_in_delayed_chunks(GetParam(), exchange::Messages::by_rank, 11 * 7919, 6);
}

INSTANTIATE_TEST_SUITE_P(sizes, BundlesInChunks, testing::Values(7, 64, 1000, std::int64_t{1} << 40));

/// Work in the stream of a rank's second subdomain delays its packing.
TEST(Bundles, wait_for_the_last_packing) {
  const auto all = outcomes(2, [](comm::RankGroup& comm) {
    Numbered made(comm, two_by_two());
    for (int step = 0; step < 3; ++step) {
      made.fill(step);
      made.domain.subdomains()[1].stream().host_function([] { std::this_thread::sleep_for(60ms); });
      // What the late subdomain sends is written by its stream.
      const auto view = made.domain.subdomains()[1].view(made.u);
      made.domain.subdomains()[1].stream().host_function([view, step] {
        for_each_cell(view.owned(), [&](const Vec3& p) { view(p) = Numbered::at(p) + 100 + step; });
      });
      made.domain.subdomains()[0].stream().host_function([view = made.domain.subdomains()[0].view(made.u), step] {
        for_each_cell(view.owned(), [&](const Vec3& p) { view(p) = Numbered::at(p) + 100 + step; });
      });
      made.domain.exchange();
      made.domain.synchronize();
      EXPECT_EQ(made.wrong(100 + step), 0);
      comm.barrier();
    }
    made.domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

/// The error of the rank that waits less, where a part of rank 0 is never packed.
std::string error_of_late_part(std::size_t impatient, std::int64_t chunk_bytes) {
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    const auto late = std::make_shared<LatePacking>();
    DomainOptions options = two_by_two(2s, late);
    options.tuning.staging_chunk_bytes = chunk_bytes;
    // Within a rank nothing is late.
    options.routing.policy.order = {routing::Transport::self, routing::Transport::direct,
                                    routing::Transport::mpi_staged};
    for (const auto& [from, to] : {std::pair(0, 2), {0, 3}, {1, 2}, {1, 3}}) {
      options.routing.policy.exceptions.push_back(
          {subdomain_id(from), subdomain_id(to), routing::Transport::mpi_staged});
    }
    Numbered made(comm, options);
    made.domain.exchange();
    made.domain.synchronize();
    if (comm.rank() == rank_id(0)) late->delay = 60s;
    if (comm.rank().index() != impatient) std::this_thread::sleep_for(1s);
    made.domain.exchange();
  });
  EXPECT_EQ(all[impatient].kind, ErrorKind::deadline);
  EXPECT_THAT(all[impatient].text, HasSubstr("exchange 2"));
  EXPECT_THAT(all[1 - impatient].text, HasSubstr("rank " + std::to_string(impatient)));
  EXPECT_LT(all[1 - impatient].took, 10s);
  return all[impatient].text;
}

TEST(Bundles, with_a_part_that_is_late_are_an_error_that_names_it) {
  const std::string sender = error_of_late_part(0, 1 << 20);
  EXPECT_THAT(sender, HasSubstr("subdomain 1 -> 2 (mpi_staged, rank 0 -> rank 1): packing; "));
  EXPECT_THAT(
      sender,
      HasSubstr("subdomain 0 -> 2 (mpi_staged, rank 0 -> rank 1): packing subdomain 1 -> 2, which chunk 1 of 1"));
  const std::string receiver = error_of_late_part(1, 1 << 20);
  for (const char* pair : {"0 -> 2", "0 -> 3", "1 -> 2", "1 -> 3"}) {
    EXPECT_THAT(
        receiver,
        HasSubstr(fmt::format(
            "subdomain {} (mpi_staged, rank 0 -> rank 1): MPI receive of chunk 1 of 1, in one message with 3 more",
            pair)));
  }
}

/// What is packed first arrives, and is unpacked, although the last part is not packed.
TEST(Bundles, in_chunks_bring_what_is_packed_before_the_late_part) {
  const std::string sender = error_of_late_part(0, 64);
  EXPECT_THAT(sender, AllOf(HasSubstr("packing subdomain 1 -> 2, which chunk "), Not(HasSubstr("which chunk 1 of "))));
  const std::string receiver = error_of_late_part(1, 64);
  EXPECT_THAT(receiver, HasSubstr("subdomain 1 -> 2 (mpi_staged, rank 0 -> rank 1): MPI receive of chunk"));
  EXPECT_THAT(receiver, Not(HasSubstr("subdomain 0 -> ")));
}

TEST(Bundles, that_fail_in_set_up_are_the_same_error_on_all) {
  for (const int nth : {1, 2, 5, 9, 14}) {
    const auto all = outcomes(3, [&](comm::RankGroup& comm) {
      const bool faulty = comm.rank() == rank_id(2);
      DomainOptions options =
          options_by_rank(faulty ? std::make_shared<FailNth>(device::Operation::allocate, nth) : nullptr, 20s);
      options.tuning.zero_copy_at_most_bytes = 0;
      Numbered made(comm, options);
      made.domain.close();
    });
    for (const Outcome& outcome : all) {
      EXPECT_THAT(outcome.text, AllOf(HasSubstr("rank 2"), HasSubstr("planted"))) << nth;
      EXPECT_EQ(outcome.text, all[0].text);
      EXPECT_LT(outcome.took, 10s);
    }
  }
}

TEST(Bundles, of_a_rank_that_stops_are_an_error_that_names_pair_transport_and_step) {
  Meeting given_up;
  const auto all = outcomes(3, [&](comm::RankGroup& comm) {
    Numbered made(comm, options_by_rank(nullptr, 1s));
    for (int step = 0; step < 3; ++step) made.domain.exchange();
    made.domain.synchronize();
    if (comm.rank() == rank_id(1)) {
      EXPECT_TRUE(given_up.wait_for(2));
      return;
    }
    try {
      made.domain.exchange();
    } catch (...) {
      given_up.arrive();
      EXPECT_THROW(made.domain.start_exchange(), Error);
      throw;
    }
  });
  EXPECT_EQ(all[1].text, "");
  for (const std::size_t rank : {0u, 2u}) {
    EXPECT_LT(all[rank].took, 8s);
    EXPECT_THAT(all[rank].text,
                AllOf(HasSubstr("mpi_staged"), HasSubstr("subdomain "), HasSubstr("rank 1"), HasSubstr("exchange 4")));
  }
  EXPECT_TRUE(all[0].kind == ErrorKind::deadline || all[2].kind == ErrorKind::deadline);
}

/// One rank swaps its buffers and the other does not; in one chunk or many.
TEST(Bundles, of_other_buffers_are_an_error_before_a_cell_is_written) {
  for (const std::int64_t chunk : {64, 1 << 20}) {
    std::array<int, 2> written{-1, -1};
    const auto all = outcomes(2, [&](comm::RankGroup& comm) {
      DomainOptions options = two_by_two(2s);
      options.tuning.staging_chunk_bytes = chunk;
      // Within a rank the two sides agree, so only what comes from the other rank is refused.
      options.routing.policy.order = {routing::Transport::self, routing::Transport::peer_copy,
                                      routing::Transport::mpi_staged};
      Numbered made(comm, options);
      made.fill(0);
      if (comm.rank() == rank_id(1)) made.domain.swap(made.u);
      try {
        made.domain.exchange();
        made.domain.synchronize();
      } catch (...) {
        written[comm.rank().index()] = made.above_and_below();
        throw;
      }
    });
    EXPECT_TRUE(all[0].kind == ErrorKind::protocol || all[1].kind == ErrorKind::protocol)
        << all[0].text << " | " << all[1].text;
    EXPECT_THAT(all[0].text + all[1].text, HasSubstr("exchanges 'u' in buffer"));
    EXPECT_EQ(written[0], 0);
  }
}

TEST(Bundles, of_two_domains_may_be_finished_in_opposite_orders) {
  for (const bool checked : {false, true}) {
    const auto all =
        outcomes(2, [&](comm::RankGroup& comm) { expect_right_in_opposite_orders(comm, two_by_two(), checked, 30ms); });
    for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
  }
}

}  // namespace
}  // namespace halocline::test
