// SPDX-License-Identifier: BSD-3-Clause
// reduce() with each transport: values, the same bits on all ranks and in all runs, and replayed. property_exchange has random cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "comm/gather.hpp"
#include "reduced.hpp"
#include "support/captured.hpp"
#include "support/effort.hpp"
#include "support/error_of.hpp"
#include "support/halo_case.hpp"
#include "ways.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

/// Of 1 to 5 ranks with 2 devices each: no message, one round, and two rounds.
TEST_P(Reduction, has_the_same_bits_on_all_ranks_and_in_all_runs) {
  for (int ranks = 1; ranks <= 5; ++ranks) {
    std::vector<std::vector<std::uint64_t>> before;
    for (int run = 0; run < 2; ++run) {
      std::mutex mutex;
      std::vector<std::vector<std::uint64_t>> found;
      expect_all_reduce(outcomes(ranks, [&](comm::RankGroup& comm) {
        Reduced reduced(comm, options());
        std::vector<std::vector<std::uint64_t>> mine;
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
          reduced.fill(seed);
          if (seed % 2 == 0) {
            reduced.domain.reduce(reduced.all());
            reduced.domain.exchange();
          } else {
            reduced.domain.exchange();
            for (const reduction_id one : reduced.all()) reduced.domain.reduce(one);
          }
          mine.push_back(reduced.bits());
          reduced.expect_near_to_a_loop(seed);
        }
        for (const auto& theirs : comm::gather(comm, mine)) EXPECT_EQ(theirs, mine);
        reduced.domain.close();
        const std::lock_guard lock(mutex);
        found = mine;
      }));
      if (run > 0) {
        EXPECT_EQ(found, before) << ranks << " ranks";
      }
      before = found;
    }
  }
}

/// Cells change as soon as they may, and ranks are delayed at random.
TEST_P(Reduction, of_cells_that_change_right_behind_it) {
  expect_all_reduce(outcomes(3, [&](comm::RankGroup& comm) {
    Reduced reduced(comm, options(30s, random_delays(static_cast<std::uint64_t>(comm.rank().value()) + 1)));
    for (std::uint64_t seed = 0; seed < some_of<std::uint64_t>(24); ++seed) {
      reduced.fill(seed + 100);
      reduced.domain.reduce({reduced.sum, reduced.most});
      reduced.fill(seed);
      reduced.domain.reduce(reduced.all());
      reduced.fill(seed + 200);
      if (seed % 4 == 3) reduced.expect_near_to_a_loop(seed);
    }
    reduced.domain.close();
  }));
}

TEST_P(Reduction, with_the_order_of_work_checked) {
  expect_all_reduce(outcomes(2, [&](comm::RankGroup& comm) {
    DomainOptions with = options();
    with.debug.validate_ordering = true;
    Reduced reduced(comm, with);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      reduced.fill(seed);
      reduced.domain.reduce(reduced.all());
      reduced.expect_near_to_a_loop(seed);
    }
    reduced.domain.close();
  }));
}

INSTANTIATE_TEST_SUITE_P(all, Reduction, all_ways, named);

TEST(ReductionCaptured, is_replayed_a_thousand_times_with_cells_that_change) {
  for (const int ranks : {1, 2, 3, 5}) {
    expect_all_reduce(outcomes(ranks, [](comm::RankGroup& comm) {
      Reduced reduced(comm, options_with(nullptr, routing::Transport::direct, 30s));
      Domain& domain = reduced.domain;
      // A step as a solver has it: the next cells depend on the result of the reduction.
      const auto steps = [&] {
        for (int step = 0; step < 2; ++step) {
          domain.exchange();
          domain.reduce({reduced.sum, reduced.most});
          for (const Subdomain& s : domain.subdomains()) {
            const double* const sum = s.result(reduced.sum);
            const double* const most = s.result(reduced.most);
            const auto now = s.read(reduced.u);
            const auto next = s.write(reduced.u);
            s.launch(s.owned(), [=](const Box& part) {
              for_each_cell(
                  part, [&](const Vec3& p) { next(p) = now(p) * 0.75 - *sum / 1000 + now(p) / (1 + *most * *most); });
            });
          }
          domain.swap(reduced.u);
        }
      };
      const auto begin = [&] {
        domain.synchronize();
        reduced.fill(1);
        domain.synchronize();
      };
      begin();
      std::vector<std::uint64_t> eager;
      for (int i = 0; i < some_of(1000); ++i) {
        steps();
        eager.push_back(std::bit_cast<std::uint64_t>(domain.value(reduced.sum)));
        eager.push_back(std::bit_cast<std::uint64_t>(domain.value(reduced.most)));
      }
      begin();
      const Graph graph = test::captured(domain, steps);
      std::vector<std::uint64_t> replayed;
      for (int i = 0; i < some_of(1000); ++i) {
        graph.launch();
        replayed.push_back(std::bit_cast<std::uint64_t>(domain.value(reduced.sum)));
        replayed.push_back(std::bit_cast<std::uint64_t>(domain.value(reduced.most)));
      }
      EXPECT_EQ(replayed, eager);
      EXPECT_NE(eager[0], eager[2]);
      for (const auto& theirs : comm::gather(comm, eager)) EXPECT_EQ(theirs, eager);
      domain.close();
    }));
  }
}

TEST(ReductionCaptured, is_refused_where_a_route_needs_the_host) {
  expect_all_reduce(outcomes(2, [](comm::RankGroup& comm) {
    Reduced reduced(comm, options_with(nullptr, routing::Transport::mpi_staged, 30s));
    reduced.fill(1);
    EXPECT_THAT(error_of<CapabilityError>([&] {
                  static_cast<void>(test::captured(reduced.domain, [&] { reduced.domain.reduce(reduced.sum); }));
                }),
                AllOf(HasSubstr("a reduction cannot be captured in a graph: "), HasSubstr("needs the host")));
    reduced.domain.reduce(reduced.all());
    reduced.expect_near_to_a_loop(1);
    reduced.domain.close();
  }));
}

TEST(ReductionOfNodes, goes_by_bundles_too) {
  for (const auto messages : {routing::Messages::by_rank, routing::Messages::by_node, routing::Messages::by_direction,
                              routing::Messages::automatic}) {
    expect_all_reduce(outcomes(6, [messages](comm::RankGroup& comm) {
      DomainOptions options = options_with(nullptr, routing::Transport::mpi_staged, 30s);
      options.machine.ranks_per_node = 2;
      options.routing.messages = messages;
      Reduced reduced(comm, options);
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        reduced.fill(seed);
        reduced.domain.reduce(reduced.all());
        reduced.expect_near_to_a_loop(seed);
      }
      const auto mine = reduced.bits();
      for (const auto& theirs : comm::gather(comm, mine)) EXPECT_EQ(theirs, mine);
      reduced.domain.close();
    }));
  }
}

TEST(ReductionOfAnotherPartition, is_of_the_same_cells) {
  expect_all_reduce(outcomes(3, [](comm::RankGroup& comm) {
    Reduced reduced(comm, options_with(nullptr, routing::Transport::direct, 30s));
    reduced.fill(3);
    reduced.domain.reduce(reduced.all());
    const std::vector<double> speeds{1.0 + static_cast<double>(comm.rank().value()), 5.0};
    reduced.domain.rebalance(speeds);
    EXPECT_THAT(error_of<InvalidArgument>([&] { return reduced.domain.value(reduced.sum); }),
                HasSubstr("value() must be called after reduce()"));
    reduced.domain.reduce(reduced.all());
    reduced.expect_near_to_a_loop(3);
    reduced.domain.close();
  }));
}

TEST(ReductionOfOwnArrays, takes_their_strides_and_refuses_unaligned_ones) {
  for (const std::ptrdiff_t off : {0, 4}) {
    const auto all = outcomes(2, [off](comm::RankGroup& comm) {
      Domain domain({8, 8, 8}, Stencil::star(1), comm, options_with(nullptr, routing::Transport::direct, 30s));
      const Field<double> u = domain.add_field<double>("u");
      const reduction_id sum = domain.add_reduction(u, Reduce::sum);
      domain.plan();
      std::vector<std::vector<double>> memory(domain.subdomains().size(), std::vector<double>(4000, 1e300));
      for (std::size_t i = 0; i < memory.size(); ++i) {
        std::byte* const first = reinterpret_cast<std::byte*>(&memory[i][600]) + off;
        domain.use_array(u, domain.subdomains()[i].id(), 0, first, {16, 192, 2304});  // each second number
      }
      domain.realize();
      for (const Subdomain& s : domain.subdomains()) {
        for_each_cell(s.owned(),
                      [&](const Vec3& p) { s.view(u)(p) = static_cast<double>(p.x + 10 * p.y + 100 * p.z); });
      }
      domain.reduce(sum);
      EXPECT_EQ(domain.value(sum), 111 * 28 * 64);
      domain.close();
    });
    for (const Outcome& outcome : all) {
      if (off == 0) EXPECT_EQ(outcome.text, "");
      else EXPECT_THAT(outcome.text, HasSubstr("no multiples of 8 bytes"));
    }
  }
}

TEST(ReductionIsExplained, with_its_transports) {
  expect_all_reduce(outcomes(5, [](comm::RankGroup& comm) {
    Reduced reduced(comm, options_with(nullptr, routing::Transport::ipc_copy, 30s));
    EXPECT_THAT(reduced.domain.explain(),
                HasSubstr("reductions: sum of 'u', sum_of_squares of 'v', max of 'u', max_abs of 'v'; round 1 by "));
    reduced.domain.close();
  }));
}

}  // namespace
}  // namespace halocline::test
