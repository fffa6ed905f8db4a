// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "common/realized_if_it_fits.hpp"
#include "jacobi3d/jacobi3d.hpp"

namespace jacobi3d {
namespace {

constexpr int numbers_of_steps[] = {1, 2, 4};
/// Whole numbers of each of them, and of cycles of the buffers. Graph takes the time of many steps.
constexpr std::int64_t steps_of_run = 8;
constexpr std::int64_t steps_of_replays = 512;
/// The first does not count.
constexpr int turns = 3;

/// How long a step takes with what the settings say, or with the fastest of the ways where they leave that open.
template <typename T>
halocline::Duration time_of_step(halocline::Domain& domain, halocline::Field<T> field, const Settings& settings) {
  Solver<T> solver(domain, field);
  solver.initialise();
  const std::int64_t steps = settings.graph ? steps_of_replays : steps_of_run;
  auto fastest = halocline::Duration::max();
  for (int turn = 0; turn < turns; ++turn) {
    for (const Halos halos : ways_of(domain)) {
      if (halos != settings.halos.value_or(halos)) continue;
      Settings some;
      some.steps = steps;
      some.halos = halos;
      some.graph = settings.graph;
      const auto result = solver.run(some);
      if (turn > 0) fastest = std::min(fastest, result.timings.total / steps);
    }
  }
  return fastest;
}

}  // namespace

template <typename T>
std::vector<Trial> try_steps_per_exchanges(const halocline::Vec3& extent, halocline::comm::RankGroup& comm,
                                           const halocline::DomainOptions& options, const Settings& settings) {
  std::vector<Trial> trials;
  for (const int steps_per_exchange : numbers_of_steps) {
    halocline::DomainOptions with = options;
    with.steps_per_exchange = steps_per_exchange;
    halocline::Domain domain(extent, stencil(), comm, with);
    const auto field = domain.add_field<T>("temperature", {.buffers = 2});
    if (steps_per_exchange == 1) {
      domain.realize();  // throws where not even this fits
    } else if (!apps::realized_if_it_fits(domain)) {
      break;
    }
    trials.push_back({steps_per_exchange, time_of_step<T>(domain, field, settings)});
    domain.close();
  }
  std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) { return a.step < b.step; });
  return trials;
}

template std::vector<Trial> try_steps_per_exchanges<float>(const halocline::Vec3&, halocline::comm::RankGroup&,
                                                           const halocline::DomainOptions&, const Settings&);
template std::vector<Trial> try_steps_per_exchanges<double>(const halocline::Vec3&, halocline::comm::RankGroup&,
                                                            const halocline::DomainOptions&, const Settings&);

}  // namespace jacobi3d
