// SPDX-License-Identifier: BSD-3-Clause
// Seeded random exchanges with ranks as processes.
#include <gtest/gtest.h>

#include "support/effort.hpp"
#include "support/halo_case.hpp"
#include "support/mpi_world.hpp"

namespace halocline::test {
namespace {

void run_seeds(std::uint64_t first, std::uint64_t count, bool delays) {
  comm::RankGroup& world = mpi_world();
  for (std::uint64_t seed = first; seed < first + some_of(count); ++seed) {
    HaloCase c = random_case(seed, world.size());
    if (delays) c.delay_seed = seed + 1;
    const HaloOutcome outcome = run_case(world, c);
    EXPECT_EQ(outcome.wrong, "") << c.name << ", rank " << world.rank().value();
    EXPECT_GT(outcome.cells, 0) << c.name;
  }
}

TEST(MpiRandomExchanges, are_as_geometry_says) { run_seeds(20000, 60, false); }

TEST(MpiRandomExchanges, delays_on_random_operations_change_nothing) { run_seeds(30000, 20, true); }

TEST(MpiRandomExchanges, of_boxes_that_ranks_own) {
  for (std::uint64_t seed = 60000; seed < 60000 + some_of<std::uint64_t>(30); ++seed) {
    HaloCase c = random_case(seed, mpi_world().size());
    give_boxes(c, seed, mpi_world().size());
    const HaloOutcome outcome = run_case(mpi_world(), c);
    EXPECT_EQ(outcome.wrong, "") << c.name << ", rank " << mpi_world().rank().value();
    EXPECT_GT(outcome.cells, 0) << c.name;
  }
}

TEST(MpiRandomExchanges, in_wire_formats_round_halos_wherever_subdomains_are) {
  for (std::uint64_t seed = 70000; seed < 70000 + some_of<std::uint64_t>(40); ++seed) {
    HaloCase c = random_case(seed, mpi_world().size());
    give_wires(c, seed);
    const HaloOutcome outcome = run_case(mpi_world(), c);
    EXPECT_EQ(outcome.wrong, "") << c.name << ", rank " << mpi_world().rank().value();
    EXPECT_GT(outcome.cells, 0) << c.name;
  }
}

TEST(MpiRandomExchanges, with_halos_in_x_apart) {
  for (std::uint64_t seed = 80000; seed < 80000 + some_of<std::uint64_t>(40); ++seed) {
    HaloCase c = random_case(seed, mpi_world().size());
    store_x_halos_apart(c, seed);
    const HaloOutcome outcome = run_case(mpi_world(), c);
    EXPECT_EQ(outcome.wrong, "") << c.name << ", rank " << mpi_world().rank().value();
    EXPECT_GT(outcome.cells, 0) << c.name;
  }
}

}  // namespace
}  // namespace halocline::test
