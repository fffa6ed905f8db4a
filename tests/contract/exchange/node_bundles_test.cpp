// SPDX-License-Identifier: BSD-3-Clause
// Messages by node, with ranks as threads on virtual nodes: their number; every cell with delays everywhere, in many chunks; ranks that
// are late, stop or disagree, within a node and beyond; two domains. The contract suite has all shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <mutex>
#include <thread>

#include "comm/gather.hpp"
#include "contract/exchange/delayed_chunks.hpp"
#include "domain/internals.hpp"
#include "numbered.hpp"
#include "plan/plan.hpp"
#include "ranks.hpp"
#include "support/effort.hpp"
#include "support/forwarding_backend.hpp"
#include "support/forwarding_communicator.hpp"
#include "support/halo_case.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

/// Ranks with two devices each, on nodes of so many ranks.
DomainOptions by_node(int ranks_per_node, Duration timeout = 20s,
                      std::shared_ptr<device::Injector> injector = nullptr) {
  DomainOptions options = options_with(std::move(injector), routing::Transport::mpi_staged, timeout);
  options.routing.messages = routing::Messages::by_node;
  options.machine.ranks_per_node = ranks_per_node;
  return options;
}

/// Two nodes, one above the other in z, of two ranks with two devices each: what is above and below is the other node's. Rank 0 sends
/// node 0's message, and rank 1 receives node 1's for it; on node 1 these are ranks 2 and 3.
DomainOptions two_nodes(Duration timeout = 20s, std::shared_ptr<device::Injector> injector = nullptr) {
  DomainOptions options = by_node(2, timeout, std::move(injector));
  options.partition.method = partition::Method::given;
  options.partition.node_grid = Vec3{1, 1, 2};
  options.partition.device_grid = Vec3{2, 2, 1};
  options.placement.method = placement::Method::trivial;
  options.routing.policy.order = {routing::Transport::self, routing::Transport::direct, routing::Transport::mpi_staged};
  return options;
}

void expect_no_errors(const std::vector<Outcome>& all) {
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

struct Shape {
  int ranks;
  int ranks_per_node;
};

TEST(NodeBundles, are_as_many_as_there_are_pairs_of_nodes) {
  for (const auto& [ranks, ranks_per_node] : {Shape{4, 2}, Shape{6, 2}, Shape{5, 3}, Shape{3, 1}, Shape{2, 2}}) {
    std::mutex one;
    std::int64_t between = 0;
    std::int64_t neighbours = 0;
    std::int64_t bytes = 0;
    expect_no_errors(outcomes(ranks, [&](comm::RankGroup& comm) {
      for (const auto messages : {routing::Messages::by_neighbour, routing::Messages::by_node}) {
        DomainOptions options = by_node(ranks_per_node);
        options.routing.messages = messages;
        options.routing.policy.order = {routing::Transport::self, routing::Transport::direct,
                                        routing::Transport::mpi_staged};
        Numbered made(comm, options);
        made.domain.accumulate();
        const exchange::Traffic traffic = internals(made.domain).traffic(routing::Transport::mpi_staged);
        std::int64_t routed = 0;
        for (const RoutedMessage& message : internals(made.domain).gather_routes()) {
          if (message.route.transport == routing::Transport::mpi_staged) routed += message.messages;
        }
        EXPECT_EQ(routed, comm.all_reduce(traffic.messages, comm::Reduction::sum));
        const auto returned = internals(made.domain).returned_traffic(routing::Transport::mpi_staged).messages;
        EXPECT_EQ(routed, comm.all_reduce(returned, comm::Reduction::sum));
        made.domain.close();
        const std::lock_guard lock(one);
        const bool nodes = messages == routing::Messages::by_node;
        (nodes ? between : neighbours) += traffic.messages;
        bytes += nodes ? traffic.bytes : -traffic.bytes;
      }
    }));
    const std::int64_t nodes = (ranks + ranks_per_node - 1) / ranks_per_node;
    EXPECT_EQ(between, nodes * (nodes - 1)) << ranks << " ranks, " << ranks_per_node << " a node";
    EXPECT_EQ(bytes, 0);
    EXPECT_GE(neighbours, between);
  }
}

/// Each of a rank's two subdomains has four messages from and to the other node, and none within its own. The rank that calls MPI needs
/// no flags of its own.
TEST(NodeBundles, are_packed_unpacked_and_posted_by_one_operation_of_each_device) {
  expect_no_errors(outcomes(4, [&](comm::RankGroup& comm) {
    const auto counted = std::make_shared<CountOperations>();
    Numbered made(comm, two_nodes(20s, counted), Stencil::box(0, 0, 1));
    for (int step = 0; step < 3; ++step) {
      made.fill(step);
      for (const auto operation : {device::Operation::copy_list, device::Operation::advance}) {
        static_cast<void>(counted->take(operation));
      }
      made.domain.exchange();
      made.domain.synchronize();
      EXPECT_EQ(counted->take(device::Operation::copy_list), 2 + 2);
      EXPECT_EQ(counted->take(device::Operation::advance), 2);
      comm.barrier();
    }
    made.domain.close();
  }));
}

class NodeBundlesInChunks : public testing::TestWithParam<std::int64_t> {};

TEST_P(NodeBundlesInChunks, every_cell_is_as_geometry_says_with_delays_everywhere) {
  for (const Shape& shape : {Shape{4, 2}, Shape{5, 2}, Shape{6, 3}}) {
    expect_right_in_delayed_chunks(shape.ranks, GetParam(), 13 * 7919, 6, [&](HaloCase& c, std::uint64_t seed) {
      if (!c.node_grid) c.ranks_per_node = shape.ranks_per_node;  // else for other nodes than these
      if (seed % 3 == 0) c.policy.order.insert(c.policy.order.begin(), routing::Transport::direct);
      c.messages = exchange::Messages::by_node;
      c.steps = 6;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(sizes, NodeBundlesInChunks, testing::Values(7, 64, 1000, std::int64_t{1} << 40));

/// Each node's leader for sending waits for the flags of the one for receiving, with its message in a queue of MPI.
TEST(NodeBundles, arrive_though_a_completed_send_leaves_with_a_later_call_of_mpi) {
  expect_no_errors(outcomes(4, [&](comm::RankGroup& comm) {
    ForwardingCommunicator late(comm);
    late.late_writes = true;
    Numbered made(late, two_nodes(5s));
    for (int step = 0; step < 3; ++step) {
      made.fill(step);
      made.domain.exchange();
      made.domain.synchronize();
      EXPECT_EQ(made.wrong(step), 0);
    }
    made.domain.close();
  }));
}

/// A rank's streams are late with packing or with unpacking, again and again, and the others run ahead as far as they may.
TEST(NodeBundles, keep_what_a_late_rank_has_not_unpacked) {
  for (int late = 0; late < 4; ++late) {
    expect_no_errors(outcomes(4, [&](comm::RankGroup& comm) {
      const auto injector = std::make_shared<LatePacking>();
      Numbered made(comm, two_nodes(20s, injector));
      if (comm.rank() == rank_id(late)) injector->delay = 20ms;
      for (int step = 0; step < 6; ++step) {
        for (const Subdomain& s : made.domain.subdomains()) {
          s.stream().host_function([view = s.view(made.u), step] {
            for_each_cell(view.owned(), [&](const Vec3& p) { view(p) = Numbered::at(p) + 1000 * step; });
          });
        }
        made.domain.exchange();
        // Compared in the order of the stream: the host goes on to the next exchange.
        for (const Subdomain& s : made.domain.subdomains()) {
          s.stream().host_function([view = s.view(made.u), step] {
            int wrong = 0;
            for_each_cell(view.with_halo(),
                          [&](const Vec3& p) { wrong += view(p) == Numbered::at(p) + 1000 * step ? 0 : 1; });
            EXPECT_EQ(wrong, 0) << "step " << step;
          });
        }
      }
      made.domain.synchronize();
      made.domain.close();
    }));
  }
}

/// A part of a rank is never packed. Returns the errors of all ranks; `impatient` waits less than the others.
std::vector<Outcome> errors_of_late_part(std::size_t late_rank, std::size_t impatient) {
  return outcomes(4, [&](comm::RankGroup& comm) {
    const auto late = std::make_shared<LatePacking>();
    DomainOptions options = two_nodes(2s, late);
    Numbered made(comm, options);
    made.domain.exchange();
    made.domain.synchronize();
    comm.barrier();
    if (comm.rank().index() == late_rank) late->delay = 60s;
    if (comm.rank().index() != impatient) std::this_thread::sleep_for(1s);
    made.domain.exchange();
    made.domain.synchronize();
  });
}

TEST(NodeBundles, with_a_part_that_is_late_are_an_error_that_names_it) {
  // Rank 0 sends what rank 1 has not packed.
  const auto leader = errors_of_late_part(1, 0);
  EXPECT_EQ(leader[0].kind, ErrorKind::deadline) << leader[0].text;
  EXPECT_THAT(leader[0].text, AllOf(HasSubstr("exchange 2"), HasSubstr("(mpi_staged, rank 0 -> rank "),
                                    HasSubstr("packing subdomain "), HasSubstr(" on rank 1, which chunk 1 of 1")));
  // Ranks of the node end with its error, and no rank waits for ever.
  for (const Outcome& outcome : leader) EXPECT_LT(outcome.took, 10s);
  EXPECT_THAT(leader[1].text, HasSubstr("rank 0: exchange 2 is late"));
  // Rank 1 has packed, and rank 0, which sends for it, has not.
  const auto follower = errors_of_late_part(0, 1);
  EXPECT_EQ(follower[1].kind, ErrorKind::deadline) << follower[1].text;
  EXPECT_THAT(follower[1].text, AllOf(HasSubstr("exchange 2"), HasSubstr("(mpi_staged, rank 1 -> rank "),
                                      HasSubstr("waiting for rank 0, which sends it in one message with ")));
  // On the other node, rank 3 receives for both, and rank 2 waits for it.
  const auto receiver = errors_of_late_part(1, 3);
  EXPECT_EQ(receiver[3].kind, ErrorKind::deadline) << receiver[3].text;
  EXPECT_THAT(receiver[3].text, AllOf(HasSubstr("exchange 2"), HasSubstr("MPI receive of chunk 1 of 1")));
  const auto waiting = errors_of_late_part(1, 2);
  EXPECT_EQ(waiting[2].kind, ErrorKind::deadline) << waiting[2].text;
  EXPECT_THAT(waiting[2].text, HasSubstr("waiting for rank 3, which receives it in one message with "));
}

TEST(NodeBundles, of_a_rank_that_stops_are_an_error_that_names_pair_transport_and_step) {
  for (const std::size_t stopped : {0u, 1u}) {
    Meeting given_up;
    const auto all = outcomes(4, [&](comm::RankGroup& comm) {
      Numbered made(comm, two_nodes(1s));
      for (int step = 0; step < 3; ++step) made.domain.exchange();
      made.domain.synchronize();
      comm.barrier();
      if (comm.rank().index() == stopped) {
        EXPECT_TRUE(given_up.wait_for(3));
        return;
      }
      try {
        made.domain.exchange();
        made.domain.synchronize();
      } catch (...) {
        given_up.arrive();
        EXPECT_TRUE(given_up.wait_for(3));  // a rank that ends is an error of its own for others
        EXPECT_THROW(made.domain.start_exchange(), Error);
        throw;
      }
    });
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (rank == stopped) continue;
      EXPECT_LT(all[rank].took, 8s);
      EXPECT_THAT(all[rank].text, AllOf(HasSubstr("subdomain "), HasSubstr("exchange 4"),
                                        AnyOf(HasSubstr("mpi_staged"), HasSubstr("direct"))));
    }
  }
}

TEST(NodeBundles, that_fail_in_set_up_are_the_same_error_on_all) {
  for (const int nth : {1, 2, 5, 9}) {
    const auto all = outcomes(4, [&](comm::RankGroup& comm) {
      const bool faulty = comm.rank() == rank_id(3);
      DomainOptions options =
          by_node(2, 20s, faulty ? std::make_shared<FailNth>(device::Operation::allocate, nth) : nullptr);
      options.tuning.zero_copy_at_most_bytes = 0;
      Numbered made(comm, options);
      made.domain.close();
    });
    for (const Outcome& outcome : all) {
      EXPECT_THAT(outcome.text, AllOf(HasSubstr("rank 3"), HasSubstr("planted"))) << nth;
      EXPECT_EQ(outcome.text, all[0].text);
      EXPECT_LT(outcome.took, 10s);
    }
  }
}

/// Whether a rank agrees with all whose parts it unpacks before the difference is found. Its device may write still when its error is
/// thrown.
bool may_unpack(const std::vector<std::size_t>& swapped, std::int64_t chunk, std::size_t rank) {
  // Rank 1 receives for node 0, and agrees with all of node 1.
  if (swapped == std::vector<std::size_t>{0} && rank == 1) return true;
  // Rank 0 sends chunks of its own before it meets a part of rank 1, and agrees with all of node 1.
  return swapped == std::vector<std::size_t>{1} && chunk == 64 && rank >= 2;
}

/// A rank, or all ranks of a node, have swapped their buffers and the others have not; in one chunk or many.
TEST(NodeBundles, of_other_buffers_are_an_error_before_a_cell_is_written) {
  for (const std::vector<std::size_t>& swapped : {std::vector<std::size_t>{0}, {1}, {2, 3}}) {
    for (const std::int64_t chunk : {64, 1 << 20}) {
      std::array<int, 4> written{-1, -1, -1, -1};
      const auto all = outcomes(4, [&](comm::RankGroup& comm) {
        DomainOptions options = two_nodes(2s);
        options.tuning.staging_chunk_bytes = chunk;
        Numbered made(comm, options);
        made.fill(0);
        comm.barrier();
        if (std::ranges::find(swapped, comm.rank().index()) != swapped.end()) made.domain.swap(made.u);
        try {
          made.domain.exchange();
          made.domain.synchronize();
        } catch (...) {
          const std::size_t rank = comm.rank().index();
          if (!may_unpack(swapped, chunk, rank)) written[rank] = made.above_and_below();
          throw;
        }
      });
      std::string texts;
      for (const Outcome& outcome : all) {
        EXPECT_NE(outcome.text, "");
        EXPECT_LT(outcome.took, 10s);
        texts += outcome.text + " | ";
      }
      EXPECT_THAT(texts, HasSubstr("exchanges 'u' in buffer"));
      for (std::size_t rank = 0; rank < written.size(); ++rank) {
        if (may_unpack(swapped, chunk, rank)) continue;
        EXPECT_EQ(written[rank], 0) << "rank " << rank;
      }
    }
  }
}

/// Rank 1 receives for its node, and agrees with the other one; rank 0 does not. The stencil has no halo within a node: no flag of
/// `direct` shows rank 1 that rank 0 differs before rank 0 has compared the bundle.
TEST(NodeBundles, are_compared_by_each_rank_that_unpacks) {
  int written = -1;
  const auto all = outcomes(4, [&](comm::RankGroup& comm) {
    const auto late = std::make_shared<LatePacking>();
    Numbered made(comm, two_nodes(2s, late), Stencil::box(0, 0, 1));
    made.fill(0);
    comm.barrier();
    const bool differs = comm.rank() == rank_id(0);
    if (differs) {
      late->delay = 500ms;
      made.domain.swap(made.u);
      made.fill(0);
    }
    try {
      made.domain.exchange();
      made.domain.synchronize();
    } catch (...) {
      if (differs) {
        std::this_thread::sleep_for(200ms);  // for work that is under way
        written = made.above_and_below();
      }
      throw;
    }
  });
  EXPECT_EQ(all[0].kind, ErrorKind::protocol) << all[0].text;
  EXPECT_THAT(all[0].text, AllOf(HasSubstr("mpi_staged"), HasSubstr("the two sides disagree")));
  EXPECT_EQ(written, 0);
}

TEST(NodeBundles, of_two_domains_may_be_finished_in_opposite_orders) {
  for (const bool checked : {false, true}) {
    expect_no_errors(
        outcomes(4, [&](comm::RankGroup& comm) { expect_right_in_opposite_orders(comm, two_nodes(), checked, 10ms); }));
  }
}

TEST(NodeBundles, are_refused_for_other_devices_than_the_hosts) {
  const auto all = outcomes(2, [](comm::RankGroup& comm) {
    DomainOptions options = by_node(1);
    device::HostOptions host;
    host.ranks_on_node = 2;
    options.devices.existing.emplace(std::make_shared<ForwardingBackend>(
        device::make_host_backend(host),
        Said{.kind = comm.rank() == rank_id(1) ? DeviceKind::cuda : DeviceKind::host}));
    Numbered made(comm, options);
    made.domain.close();
  });
  for (const Outcome& outcome : all) {
    EXPECT_EQ(outcome.kind, ErrorKind::capability);
    EXPECT_THAT(outcome.text,
                HasSubstr("messages is by_node with cuda devices; allowed is by_node with host devices only"));
  }
}

}  // namespace
}  // namespace halocline::test
