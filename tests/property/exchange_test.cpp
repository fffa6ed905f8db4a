// SPDX-License-Identifier: BSD-3-Clause
// Seeded random exchanges with ranks as threads. A failure names its seed; random_case(seed, ranks) reproduces the
// case.
#include <gtest/gtest.h>

#include <mutex>

#include "comm/local_ranks.hpp"
#include "halocline/session.hpp"
#include "support/effort.hpp"
#include "support/halo_case.hpp"

namespace halocline::test {
namespace {

/// Numbers of ranks, frequent ones repeated; each entry is a shape.
const std::vector<int> shapes = rank_counts({1, 2, 3, 4, 2, 4, 6, 1, 3, 8});

/// Calls run(comm, case, seed) with random cases from seed `first` on, as many as this build runs out of `all`,
/// alternating between the shapes; each shape starts its threads once. run returns the errors.
template <typename Run>
void for_seeds(std::uint64_t first, std::uint64_t all, Run&& run) {
  const std::uint64_t count = some_of(all);
  for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
    const int ranks = shapes[shape];
    std::mutex mutex;
    comm::run_as_threads(ranks, [&](comm::RankGroup& comm) {
      for (std::uint64_t seed = first + shape; seed < first + count; seed += shapes.size()) {
        HaloCase c = random_case(seed, ranks);
        const std::string wrong = run(comm, c, seed);
        const std::lock_guard lock(mutex);
        EXPECT_EQ(wrong, "") << c.name << ", " << ranks << " ranks, rank " << comm.rank().value();
      }
    });
  }
}

void run_seeds(std::uint64_t first, std::uint64_t count, bool delays) {
  for_seeds(first, count, [&](comm::RankGroup& comm, HaloCase& c, std::uint64_t seed) {
    if (delays) c.delay_seed = seed + 1;
    const HaloOutcome outcome = run_case(comm, c);
    EXPECT_GT(outcome.cells, 0) << c.name;
    return outcome.wrong;
  });
}

TEST(RandomExchanges, are_as_geometry_says) { run_seeds(0, 500, false); }

TEST(RandomExchanges, delays_on_random_operations_change_nothing) { run_seeds(10000, 120, true); }

TEST(RandomExchanges, backwards_add_or_replace_as_geometry_says) {
  for_seeds(50000, 300, [](comm::RankGroup& comm, HaloCase& c, std::uint64_t seed) {
    c.accumulates = seed % 3 == 0 ? Combine::replace : Combine::add;
    if (seed % 4 == 0) c.delay_seed = seed + 1;
    const HaloOutcome outcome = run_case(comm, c);
    EXPECT_GT(outcome.cells, 0) << c.name;
    return outcome.wrong;
  });
}

TEST(RandomExchanges, of_boxes_that_ranks_own) {
  for_seeds(60000, 150, [](comm::RankGroup& comm, HaloCase& c, std::uint64_t seed) {
    give_boxes(c, seed, comm.size());
    const HaloOutcome outcome = run_case(comm, c);
    EXPECT_GT(outcome.cells, 0) << c.name;
    return outcome.wrong;
  });
}

TEST(RandomExchanges, in_wire_formats_round_halos_wherever_subdomains_are) {
  for_seeds(70000, 400, [](comm::RankGroup& comm, HaloCase& c, std::uint64_t seed) {
    give_wires(c, seed);
    if (seed % 5 == 0) c.delay_seed = seed + 1;
    const HaloOutcome outcome = run_case(comm, c);
    EXPECT_GT(outcome.cells, 0) << c.name;
    return outcome.wrong;
  });
}

TEST(RandomExchanges, with_halos_in_x_apart) {
  for_seeds(80000, 400, [](comm::RankGroup& comm, HaloCase& c, std::uint64_t seed) {
    store_x_halos_apart(c, seed);
    if (seed % 7 == 0) give_wires(c, seed);
    if (seed % 4 == 0) c.accumulates = seed % 8 == 0 ? Combine::replace : Combine::add;
    if (seed % 5 == 0) c.delay_seed = seed + 1;
    const HaloOutcome outcome = run_case(comm, c);
    EXPECT_GT(outcome.cells, 0) << c.name;
    return outcome.wrong;
  });
}

}  // namespace
}  // namespace halocline::test
