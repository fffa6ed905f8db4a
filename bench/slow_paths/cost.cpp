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
  // The first domain was up to 5 % faster whether watched or not, and is not compared.
  const std::vector<Watched> all{{"first", false, false},   {"off", false, false},       {"on", true, false},
                                 {"on again", true, false}, {"off again", false, false}, {"all timed", false, true}};
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
  std::vector<std::vector<double>> seconds(all.size());
  std::vector<double> ratios, marks;
  for (std::size_t round = 0; round < static_cast<std::size_t>(wanted.rounds); ++round) {
    for (std::size_t c = 0; c < all.size(); ++c) seconds[c].push_back(timings[c][round].steady);
    const double off = seconds[1][round] + seconds[4][round];
    ratios.push_back((seconds[2][round] + seconds[3][round]) / off);
    marks.push_back(2 * seconds[5][round] / off - 1);
  }
  for (auto& domain : domains) domain->close();
  if (world.rank() != rank_id(0)) return 0;
  fmt::print("{}^3 cells, {} fields of f32, radius 1, {} ranks; {} rounds of {} exchanges back to back\n", wanted.edge,
             wanted.fields, world.size(), wanted.rounds, at_once);
  fmt::print("{:<10} {:>9} {:>9} {:>9} {:>9}\n", "us:", "least", "25 %", "median", "75 %");
  for (std::size_t c = 0; c < all.size(); ++c) {
    const Quartiles time = quartiles_of(seconds[c]);
    fmt::print("{:<10} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f}\n", all[c].name, 1e6 * time.least, 1e6 * time.low,
               1e6 * time.median, 1e6 * time.high);
  }
  const Quartiles ratio = quartiles_of(ratios);
  const Quartiles more = quartiles_of(marks);
  fmt::print("on / off of the same round: 25 % {:.4f}, median {:.4f}, 75 % {:.4f}\n", ratio.low, ratio.median,
             ratio.high);
  fmt::print("all timed take {:.2f} % more (25 % {:.2f}, 75 % {:.2f}); one of {} timed: {:.4f} %\n", 100 * more.median,
             100 * more.low, 100 * more.high, at_once, 100 * more.median / at_once);
  return 0;
}

}  // namespace halocline::bench
