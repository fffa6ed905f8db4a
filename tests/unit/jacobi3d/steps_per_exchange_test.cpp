// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "comm/local_ranks.hpp"
#include "halocline/error.hpp"
#include "jacobi_case.hpp"
#include "support/seeded.hpp"

namespace {

using namespace jacobi3d_test;

/// Uneven domains, down to the smallest that fit the halos, in any number of parts; also runs that end between two
/// exchanges.
TEST(JacobiStepsPerExchange, ChangesNoBit) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    halocline::test::Seeded seeded(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Shape shape;
    shape.steps_per_exchange = 1 + static_cast<int>(seed % 4);
    shape.ranks = static_cast<int>(seeded.between(1, 3));
    shape.devices = static_cast<int>(seeded.between(1, 4));
    for (int dim = 0; dim < 3; ++dim) {
      shape.extent[dim] = seeded.between(shape.steps_per_exchange, shape.steps_per_exchange + 9);
    }
    shape.extent[static_cast<int>(seeded.between(0, 2))] += shape.steps_per_exchange * shape.ranks * shape.devices;
    shape.halos = shape.steps_per_exchange == 1 && seeded.chance(50) ? Halos::awaited
                  : seeded.chance(50)                                ? Halos::overlapped
                                                                     : Halos::exchanged;
    shape.steps = static_cast<int>(seeded.between(1, 14));
    if (seeded.chance(20)) shape.transports = "mpi_staged";
    shape.graph = shape.transports.empty() && seeded.chance(40);
    if (shape.graph) shape.steps += static_cast<int>(seeded.between(10, 40));
    if (seeded.chance(50)) shape.boundaries = jacobi3d::boundaries;
    if (seeded.chance(50)) {
      expect_serial_solution<float>(shape);
    } else {
      expect_serial_solution<double>(shape);
    }
  }
}

TEST(JacobiStepsPerExchange, ReplaysWholeCyclesOfStepsAndOfBuffers) {
  for (const int steps_per_exchange : {2, 3, 4, 5}) {
    for (const int more : {27, 29, 30}) {  // after the last full cycle the remaining steps run one by one
      const Halos halos = more != 29 ? Halos::overlapped : Halos::exchanged;
      const Shape shape{{23, 20, 11}, 2, 2, halos, 64 * steps_per_exchange + more, {}, true, steps_per_exchange};
      expect_serial_solution<float>(shape);
    }
  }
}

TEST(JacobiStepsPerExchange, OtherThanOneIsRefusedWhereKernelsAwaitHalos) {
  const Shape shape{{8, 8, 8}, 1, 2, Halos::awaited, 1, {}, false, 2};
  on_domains<float>(shape, [&](Domain& domain, halocline::Field<float> field) {
    jacobi3d::Solver<float> solver(domain, field);
    jacobi3d::Settings settings;
    settings.halos = Halos::awaited;
    EXPECT_THAT([&] { solver.run(settings); }, testing::ThrowsMessage<halocline::InvalidArgument>(
                                                   testing::HasSubstr("steps_per_exchange is 2; allowed is 1")));
  });
}

TEST(JacobiStepsPerExchange, LetsARunGoOnWhereTheLastEnded) {
  const Shape shape{{17, 12, 14}, 2, 2, Halos::overlapped, 0, {}, false, 3};
  const auto expected = jacobi3d::solve_serially<float>(shape.extent, 11);
  on_domains<float>(shape, [&](Domain& domain, halocline::Field<float> field) {
    jacobi3d::Solver<float> solver(domain, field);
    solver.initialise();
    for (const int steps : {4, 2, 5}) {
      jacobi3d::Settings settings;
      settings.steps = steps;
      solver.run(settings);
    }
    const auto all = solver.gather(halocline::Box::of_extent(shape.extent));
    if (domain.plan().comm.rank().value() == 0) {
      EXPECT_TRUE(same_bits(all, expected));
    }
  });
}

TEST(JacobiStepsPerExchange, LeavesTheResidualAsItIs) {
  jacobi3d::Result results[2];
  for (const int steps_per_exchange : {1, 3}) {
    const Shape shape{{20, 12, 13}, 2, 2, Halos::overlapped, 0, {}, false, steps_per_exchange};
    on_domains<float>(shape, [&](Domain& domain, halocline::Field<float> field) {
      jacobi3d::Solver<float> solver(domain, field);
      solver.initialise();
      jacobi3d::Settings settings;
      settings.steps = 1000;
      settings.residual_every = 20;
      settings.tolerance = 1e-3;
      settings.halos = Halos::overlapped;
      settings.graph = steps_per_exchange > 1;
      const auto result = solver.run(settings);
      if (domain.plan().comm.rank().value() == 0) results[steps_per_exchange == 1 ? 0 : 1] = result;
    });
  }
  EXPECT_TRUE(results[0].converged);
  EXPECT_EQ(results[0].steps, results[1].steps);
  EXPECT_EQ(results[0].residual->max, results[1].residual->max);
  EXPECT_EQ(results[0].residual->l2, results[1].residual->l2);
}

TEST(JacobiStepsPerExchange, IsTriedAlikeOnAllRanksWithThoseThatFit) {
  std::array<std::vector<jacobi3d::Trial>, 2> found;
  halocline::comm::run_as_threads(2, [&](halocline::comm::RankGroup& comm) {
    DomainOptions options;
    options.devices.per_rank = 2;
    found[comm.rank().index()] = jacobi3d::try_steps_per_exchanges<float>({3, 12, 8}, comm, options, {});
  });
  ASSERT_EQ(found[0].size(), 2u) << "4 does not fit into 3 cells";
  EXPECT_EQ(found[0][0].steps_per_exchange + found[0][1].steps_per_exchange, 1 + 2);
  EXPECT_LE(found[0][0].step, found[0][1].step);
  EXPECT_GT(found[0][0].step.count(), 0);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(found[0][i].steps_per_exchange, found[1][i].steps_per_exchange);
    EXPECT_EQ(found[0][i].step, found[1][i].step);
  }
}

}  // namespace
