// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "slow_paths/slow_paths.hpp"
#include "support/sampling.hpp"

namespace halocline::bench {
namespace {

constexpr int at_once = 1024;  // of which one is timed

struct Watched {
  const char* name;
  bool slow_paths;
  bool all_timed;
};

std::unique_ptr<Domain> domain_of(comm::RankGroup& world, DomainOptions options, const Watched& one,
                                  const Cost& wanted) {
  options.slow_paths = one.slow_paths;
  options.time_exchanges = one.all_timed;
  options.tuning.domains_at_once = 1;  // they take turns
  auto domain = std::make_unique<Domain>(Vec3::filled(wanted.edge), Stencil::box(1), world, options);
  for (int f = 0; f < wanted.fields; ++f) domain->add_field<float>(fmt::format("f{}", f));
  domain->realize();
  return domain;
}

struct Quartiles {
  double least, low, median, high;
};

Quartiles quartiles_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return {values[0], values[n / 4], values[n / 2], values[n - 1 - n / 4]};
}

}  // namespace

int run_cost(comm::RankGroup& world, const DomainOptions& options, const Cost& wanted) {
  const std::vector<Watched> all{
      {"off", false, false}, {"on", true, false}, {"off again", false, false}, {"all timed", false, true}};
  std::vector<std::unique_ptr<Domain>> domains;
  std::vector<Contender> contenders;
  for (const Watched& one : all) {
    domains.push_back(domain_of(world, options, one, wanted));
    Domain& domain = *domains.back();
    contenders.push_back({one.name, [&domain] { domain.exchange(); },
                          [&domain, one] {
                            domain.synchronize();
                            if (one.all_timed) static_cast<void>(domain.timing());
                          }});
  }
  const Budget budget{.rounds = wanted.rounds, .samples = 3, .steady = at_once, .seconds = 60};
  const auto timings = take_turns(world, contenders, budget);
  const auto steady = [&](std::size_t c, std::size_t round) { return timings[c][round].steady; };
  std::vector<std::vector<double>> seconds(all.size()), ratios(all.size());
  for (std::size_t c = 0; c < all.size(); ++c) {
    for (std::size_t round = 0; round < timings[c].size(); ++round) {
      seconds[c].push_back(steady(c, round));
      ratios[c].push_back(steady(c, round) / steady(0, round));
    }
  }
  for (auto& domain : domains) domain->close();
  if (world.rank() != rank_id(0)) return 0;
  fmt::print("{}^3 cells, {} fields of f32, radius 1, {} ranks; {} rounds of {} exchanges back to back\n", wanted.edge,
             wanted.fields, world.size(), wanted.rounds, at_once);
  fmt::print("{:<10} {:>9} {:>9} {:>9} {:>9}   ratio to off of the same round: 25 %, median, 75 %\n", "us:", "least",
             "25 %", "median", "75 %");
  for (std::size_t c = 0; c < all.size(); ++c) {
    const Quartiles time = quartiles_of(seconds[c]);
    const Quartiles ratio = quartiles_of(ratios[c]);
    fmt::print("{:<10} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f}   {:.4f} {:.4f} {:.4f}\n", all[c].name, 1e6 * time.least,
               1e6 * time.low, 1e6 * time.median, 1e6 * time.high, ratio.low, ratio.median, ratio.high);
  }
  const double off = quartiles_of(seconds.front()).least;
  const double marks = quartiles_of(seconds.back()).least - off;
  fmt::print("marks around each exchange take {:.2f} us by the least times; around one of {} that is {:.4f} %\n",
             1e6 * marks, at_once, 100 * marks / off / at_once);
  return 0;
}

}  // namespace halocline::bench
