// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenario.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>

#include "comm/local_ranks.hpp"
#include "simulation/late_sends.hpp"
#include "simulation/life.hpp"
#include "support/halo_case.hpp"
#include "support/seeded.hpp"

namespace halocline::simulation {
namespace {

using test::Seeded;

/// Independent numbers for each thing that a seed chooses.
Seeded chooser(std::uint64_t seed, std::uint64_t what) {
  Seeded mixed(seed);
  return Seeded(mixed.next() + what * 0x9e3779b97f4a7c15u);
}

bool is_life(std::uint64_t seed) { return chooser(seed, 1).chance(75); }

Life life_of(std::uint64_t seed) {
  Seeded seeded = chooser(seed, 2);
  return random_life(seeded);
}

/// A random exchange of the contract tests, without a fault.
struct Geometry {
  int ranks;
  test::HaloCase c;
  std::uint64_t sends_seed = 0;  ///< of LateSends
  Time latest_send{};
};

Geometry geometry_of(std::uint64_t seed) {
  Seeded seeded = chooser(seed, 3);
  Geometry made{static_cast<int>(seeded.between(2, 3)), {}, 0, {}};
  do {
    made.c = test::random_case(seeded.next(), made.ranks);
  } while (made.c.devices_per_rank > 2);
  constexpr std::array kinds{exchange::Messages::by_neighbour, exchange::Messages::by_direction,
                             exchange::Messages::by_rank, exchange::Messages::by_node};
  made.c.net_engine = routing::NetEngine::mpi;
  made.c.messages = kinds[static_cast<std::size_t>(seeded.between(0, 3))];
  made.c.tuning.staging_chunk_bytes = seeded.chance(50) ? 64 : std::int64_t{4} << 20;
  made.c.tuning.zero_copy_at_most_bytes = seeded.chance(50) ? 0 : 400;
  if (seeded.chance(50)) made.c.tuning.packets_at_most_bytes = 0;
  if (seeded.chance(25)) made.c.accumulates = Combine::add;
  if (seeded.chance(40)) made.c.delay_seed = seeded.next();
  made.sends_seed = seeded.next();
  made.latest_send = random_latest_send(seeded);
  return made;
}

std::string run_geometry(const Geometry& geometry) {
  std::string wrong;
  std::string changed;
  std::string unfinished;
  comm::run_as_threads(geometry.ranks, [&](comm::RankGroup& given) {
    LateSends comm(given,
                   {geometry.sends_seed + given.rank().index(), geometry.latest_send, true, &changed, &unfinished});
    const test::HaloOutcome outcome = test::run_case(comm, geometry.c);
    if (!outcome.wrong.empty()) wrong += fmt::format("wrong: rank {}: {}; ", comm.rank().value(), outcome.wrong);
    if (outcome.cells == 0) wrong += "wrong: no cell was compared; ";
  });
  if (!changed.empty()) wrong += "wrong: " + changed;
  if (wrong.empty() && !unfinished.empty()) wrong = "unfinished: " + unfinished;
  return wrong;
}

}  // namespace

Disturbances disturbances_of(std::uint64_t seed, const Less& less) {
  Seeded seeded = chooser(seed, 4);
  Disturbances made;
  made.seed = seeded.next();
  made.switch_one_in = std::int64_t{1} << seeded.between(1, 7);
  // Some seeds leave the threads alone, some disturb each of many points.
  made.delay_one_in = seeded.chance(20) ? 0 : std::int64_t{50} << seeded.between(0, 5);
  made.longest_delay = std::chrono::microseconds(20) * (std::int64_t{1} << seeded.between(0, 7));
  made.lose_wake_one_in = seeded.chance(50) ? 0 : seeded.between(1, 8);
  made.early_wake_one_in = seeded.chance(50) ? 0 : seeded.between(4, 50);
  made.longest_yield = std::chrono::microseconds(1) * (std::int64_t{1} << seeded.between(2, 7));
  made.longest_point = std::chrono::nanoseconds(50) * (std::int64_t{1} << seeded.between(0, 6));
  made.cores = static_cast<int>(seeded.between(1, 8));
  if (less.without_delays) made.delay_one_in = 0;
  if (less.without_lost_wakes) made.lose_wake_one_in = made.early_wake_one_in = 0;
  made.without = less.without;
  return made;
}

std::string describe(std::uint64_t seed) {
  const Disturbances d = disturbances_of(seed, {});
  const std::string how = fmt::format(
      "; switches 1 in {}, delays 1 in {} up to {} us, lost wake-ups 1 in {}, early 1 in {}, {} cores", d.switch_one_in,
      d.delay_one_in, d.longest_delay.count() / 1000, d.lose_wake_one_in, d.early_wake_one_in, d.cores);
  if (is_life(seed)) return describe(life_of(seed)) + how;
  const Geometry geometry = geometry_of(seed);
  std::string order;
  for (const auto transport : geometry.c.policy.order) order += fmt::format(" {}", routing::to_string(transport));
  return fmt::format("random case, {}, {} ranks x {} devices,{}", geometry.c.name, geometry.ranks,
                     geometry.c.devices_per_rank, order) +
         how;
}

std::string run_scenario(std::uint64_t seed) {
  try {
    return is_life(seed) ? run_life(life_of(seed)) : run_geometry(geometry_of(seed));
  } catch (const std::exception& error) {
    return fmt::format("error: {}", error.what());
  }
}

}  // namespace halocline::simulation
