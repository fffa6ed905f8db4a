// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>

#include "comm/local_ranks.hpp"
#include "halocline/error.hpp"
#include "halocline/session.hpp"
#include "jacobi_case.hpp"

namespace {

using namespace jacobi3d_test;

constexpr std::array all_ways{Halos::exchanged, Halos::overlapped, Halos::awaited};

class JacobiWays : public testing::TestWithParam<int> {};

TEST_P(JacobiWays, AreTriedByLongRunsThatDoNotSay) {
  const Shape shape{{14, 9, 12}, 2, 2, Halos::overlapped, 0, {}, false, GetParam()};
  constexpr int steps = 230;
  const auto expected = jacobi3d::solve_serially<float>(shape.extent, steps);
  std::array<Halos, 2> chosen{};
  on_domains<float>(shape, [&](Domain& domain, halocline::Field<float> field) {
    jacobi3d::Solver<float> solver(domain, field);
    solver.initialise();
    jacobi3d::Settings settings;
    settings.steps = steps;
    settings.residual_every = 50;
    const auto result = solver.run(settings);
    EXPECT_EQ(result.steps, steps);
    chosen[domain.plan().comm.rank().index()] = result.halos;
    const auto all = solver.gather(halocline::Box::of_extent(shape.extent));
    if (domain.plan().comm.rank().value() != 0) return;
    EXPECT_TRUE(same_bits(all, expected));
  });
  EXPECT_EQ(chosen[0], chosen[1]);
}

INSTANTIATE_TEST_SUITE_P(StepsPerExchanges, JacobiWays, testing::Values(1, 3));

class JacobiShapes : public testing::TestWithParam<Shape> {};

TEST_P(JacobiShapes, AgreesWithTheSerialSolutionBitForBit) {
  Shape shape = GetParam();
  for (const Halos halos : all_ways) {
    for (const auto& boundaries : {halocline::all_periodic, jacobi3d::boundaries}) {
      shape.halos = halos;
      shape.boundaries = boundaries;
      expect_serial_solution<float>(shape);
      expect_serial_solution<double>(shape);
    }
  }
}

TEST_P(JacobiShapes, AgreesWithTheSerialSolutionWhereStepsAreReplayed) {
  Shape shape = GetParam();
  if (shape.transports == "mpi_staged") GTEST_SKIP() << "the host takes part in mpi_staged, which cannot be captured";
  shape.graph = true;
  for (const int steps : {1, 2, 3, 4, 12, 67}) {
    shape.steps = steps;
    for (const Halos halos : all_ways) {
      shape.halos = halos;
      expect_serial_solution<float>(shape);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OneProcess, JacobiShapes,
                         testing::Values(Shape{{16, 16, 16}, 1, 1}, Shape{{16, 16, 16}, 1, 2},
                                         Shape{{17, 13, 11}, 1, 3}, Shape{{33, 9, 7}, 1, 4}, Shape{{20, 10, 15}, 1, 5},
                                         Shape{{13, 19, 12}, 1, 6}, Shape{{8, 30, 9}, 1, 7}, Shape{{21, 22, 23}, 1, 8},
                                         Shape{{2, 2, 2}, 1, 8}, Shape{{16, 1, 1}, 1, 4}, Shape{{1, 1, 1}, 1, 1},
                                         Shape{{12, 11, 1}, 1, 4},
                                         Shape{{17, 13, 11}, 1, 4, Halos::overlapped, 6, "peer_copy"},
                                         Shape{{17, 13, 11}, 1, 1, Halos::overlapped, 25}));
INSTANTIATE_TEST_SUITE_P(Threads, JacobiShapes,
                         testing::Values(Shape{{16, 16, 16}, 2, 1}, Shape{{17, 13, 11}, 3, 1},
                                         Shape{{13, 14, 15}, 4, 2}, Shape{{9, 25, 10}, 2, 3}, Shape{{21, 11, 13}, 8, 1},
                                         Shape{{13, 14, 15}, 4, 2, Halos::overlapped, 6, "mpi_staged"},
                                         Shape{{13, 14, 15}, 2, 2, Halos::overlapped, 6, "ipc_copy,peer_copy"}));

TEST(JacobiLaunchThreads, ChangeNoBit) {
  for (const Halos halos : all_ways) {
    for (const bool graph : {true, false}) {
      Shape shape{{18, 15, 16}, 2, 4, halos, 12};
      shape.graph = graph;
      shape.launch_threads = true;
      if (graph) shape.transports = "direct,ipc_copy,peer_copy,self";
      expect_serial_solution<float>(shape);
      if (halos == Halos::awaited) continue;
      shape.steps_per_exchange = 2;
      expect_serial_solution<double>(shape);
    }
  }
}

TEST(JacobiResidual, IsTheDifferenceOfTheLastTwoSerialSteps) {
  const Shape shape{{19, 14, 11}, 2, 2};
  const auto before = jacobi3d::solve_serially<double>(shape.extent, 6);
  const auto after = jacobi3d::solve_serially<double>(shape.extent, 7);
  double largest = 0;
  double squares = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    largest = std::max(largest, std::abs(after[i] - before[i]));
    squares += (after[i] - before[i]) * (after[i] - before[i]);
  }
  on_domains<double>(shape, [&](Domain& domain, halocline::Field<double> field) {
    jacobi3d::Solver<double> solver(domain, field);
    solver.initialise();
    jacobi3d::Settings settings;
    settings.steps = 7;
    const auto result = solver.run(settings);
    EXPECT_EQ(result.residual->max, largest);
    EXPECT_NEAR(result.residual->l2, std::sqrt(squares), 1e-13);
    EXPECT_EQ(result.steps, 7);
    EXPECT_FALSE(result.converged);
    EXPECT_GT(result.timings.total.count(), 0);
    ASSERT_TRUE(result.timings.parts);
    EXPECT_GT(result.timings.parts->compute.count(), 0);
    EXPECT_GT(result.timings.parts->exchange.count(), 0);
    EXPECT_GT(result.updates_per_second, 0);
  });
}

/// In each mode, with all steps timed and with some of them timed.
TEST(JacobiTimings, AreWithinTheTotalOrNotReported) {
  using Run = std::pair<std::int64_t, bool>;  // steps, and whether as a graph
  int reported = 0;
  for (const auto& [steps, graph] : {Run{1, false}, {40, false}, {520, false}, {1, true}, {130, true}}) {
    for (const Halos halos : all_ways) {
      for (const auto& [ranks, devices] : {std::pair{1, 1}, {1, 3}, {2, 2}}) {
        on_domains<float>({{9, 9, 9}, ranks, devices}, [&](Domain& domain, halocline::Field<float> field) {
          jacobi3d::Solver<float> solver(domain, field);
          solver.initialise();
          jacobi3d::Settings settings;
          settings.steps = steps;
          settings.halos = halos;
          settings.graph = graph;
          const auto [total, parts] = solver.run(settings).timings;
          EXPECT_EQ(parts.has_value(), !graph && halos != Halos::awaited) << steps << " steps, " << to_string(halos);
          if (!parts) return;
          if (domain.plan().comm.rank() == halocline::rank_id(0)) ++reported;
          EXPECT_GE(parts->compute.count(), 0);
          EXPECT_GE(parts->exchange.count(), 0);
          EXPECT_LE(parts->compute + parts->exchange, total) << steps << " steps, " << to_string(halos);
        });
      }
    }
  }
  EXPECT_EQ(reported, 3 * 2 * 3);
}

TEST(JacobiTolerance, StopsAtTheSameStepWhateverTheDecomposition) {
  std::vector<std::int64_t> steps;
  for (const Shape& shape : {Shape{{20, 12, 12}, 1, 1}, Shape{{20, 12, 12}, 1, 8}, Shape{{20, 12, 12}, 3, 2}}) {
    on_domains<float>(shape, [&](Domain& domain, halocline::Field<float> field) {
      jacobi3d::Solver<float> solver(domain, field);
      solver.initialise();
      jacobi3d::Settings settings;
      settings.steps = 10000;
      settings.residual_every = 5;
      settings.tolerance = 1e-3;
      std::int64_t last = 0;
      const auto result = solver.run(settings, [&last](const auto& progress) { last = progress.step; });
      EXPECT_TRUE(result.converged);
      EXPECT_LT(result.residual->max, 1e-3);
      EXPECT_EQ(result.steps % 5, 0);
      EXPECT_EQ(last, result.steps);
      if (domain.plan().comm.rank().value() == 0) steps.push_back(result.steps);
    });
  }
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_GT(steps[0], 5);
  EXPECT_LT(steps[0], 1000);
  EXPECT_EQ(steps[0], steps[1]);
  EXPECT_EQ(steps[0], steps[2]);
}

TEST(JacobiTolerance, StopsAtTheSameStepInParts) {
  constexpr int most = 1000;
  for (const bool graph : {false, true}) {
    for (const std::int64_t part : {std::int64_t{most}, std::int64_t{7}, std::int64_t{1}}) {
      on_domains<float>(Shape{{24, 24, 24}, 1, 1}, [&](Domain& domain, halocline::Field<float> field) {
        jacobi3d::Solver<float> solver(domain, field);
        solver.initialise();
        jacobi3d::Settings settings;
        settings.residual_every = 10;
        settings.tolerance = 2e-3;
        settings.graph = graph;
        settings.last = most;
        jacobi3d::Result result;
        for (settings.first = 0; settings.first < most && !result.converged; settings.first += result.steps) {
          settings.steps = std::min(part, most - settings.first);
          result = solver.run(settings);
          EXPECT_EQ(result.residual.has_value(), (settings.first + result.steps) / 10 > settings.first / 10);
        }
        EXPECT_EQ(settings.first, 30) << "in parts of " << part;
      });
    }
  }
}

TEST(JacobiGather, ASliceIsThatOfTheWhole) {
  const Shape shape{{14, 9, 10}, 2, 3};
  const auto whole = jacobi3d::solve_serially<float>(shape.extent, 4);
  on_domains<float>(shape, [&](Domain& domain, halocline::Field<float> field) {
    jacobi3d::Solver<float> solver(domain, field);
    solver.initialise();
    jacobi3d::Settings settings;
    settings.steps = 4;
    solver.run(settings);
    const auto slice = solver.gather({{0, 0, 5}, {14, 9, 6}});
    if (domain.plan().comm.rank().value() != 0) return;
    const auto first = whole.begin() + 5 * 14 * 9;
    EXPECT_EQ(slice, std::vector<float>(first, first + 14 * 9));
  });
}

TEST(JacobiCheck, SaysOnAllRanksWhatDiffers) {
  const Shape shape{{12, 9, 10}, 3, 1};
  std::atomic<int> passed = 0;
  std::atomic<int> failed = 0;
  on_domains<float>(shape, [&](Domain& domain, halocline::Field<float> field) {
    jacobi3d::Solver<float> solver(domain, field);
    solver.initialise();
    jacobi3d::Settings settings;
    settings.steps = 3;
    solver.run(settings);
    const auto good = jacobi3d::check(domain, solver, 3);
    EXPECT_EQ(good.cells, shape.extent.volume());
    passed += good.passed() ? 1 : 0;
    const auto bad = jacobi3d::check(domain, solver, 4);
    EXPECT_GT(bad.different, 0);
    EXPECT_GT(bad.largest_difference, 0);
    failed += bad.passed() ? 0 : 1;
  });
  EXPECT_EQ(passed, 3);
  EXPECT_EQ(failed, 3);
}

TEST(JacobiSettings, AreRefusedWithNameAndValue) {
  on_domains<float>(Shape{{8, 8, 8}, 1, 1}, [&](Domain& domain, halocline::Field<float> field) {
    jacobi3d::Solver<float> solver(domain, field);
    jacobi3d::Settings settings;
    settings.steps = 0;
    try {
      solver.run(settings);
      ADD_FAILURE() << "0 steps were accepted";
    } catch (const halocline::InvalidArgument& error) {
      EXPECT_STREQ(error.what(), "jacobi3d: steps is 0; allowed is 1 or more");
    }
    settings.steps = 1;
    settings.tolerance = -1;
    EXPECT_THROW(solver.run(settings), halocline::InvalidArgument);
    settings.tolerance = 0;
    settings.first = 4;
    settings.last = 4;
    EXPECT_THROW(solver.run(settings), halocline::InvalidArgument);
  });
}

}  // namespace
