// Seeded random exchanges with ranks as processes.
#include <gtest/gtest.h>

#include "support/halo_case.hpp"
#include "support/mpi_world.hpp"

namespace halocline::test {
namespace {

void run_seeds(std::uint64_t first, std::uint64_t count, bool delays) {
  comm::Communicator& world = mpi_world();
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    HaloCase c = random_case(seed, world.size());
    if (delays) c.delay_seed = seed + 1;
    const HaloOutcome outcome = run_case(world, c);
    EXPECT_EQ(outcome.wrong, "") << c.name << ", rank " << world.rank().value();
    EXPECT_GT(outcome.cells, 0) << c.name;
  }
}

TEST(MpiRandomExchanges, are_as_geometry_says) { run_seeds(20000, 60, false); }

TEST(MpiRandomExchanges, delays_on_random_operations_change_nothing) { run_seeds(30000, 20, true); }

}  // namespace
}  // namespace halocline::test
