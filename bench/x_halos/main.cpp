// SPDX-License-Identifier: BSD-3-Clause
// bench_x_halos: a kernel and an exchange with halos in x in rows, and stored apart; by one rank for each GPU, or one rank with all.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <vector>

#include "comm/rank_group.hpp"
#include "halocline/halocline.hpp"
#include "support/program.hpp"
#include "x_halos/stars.hpp"

namespace halocline::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::vector<std::int64_t> edges{512, 256};
  int fields = 4;
  int launches = 3;
  std::string cut = "z";
};

constexpr int steps = 20;  // of a graph; a whole number of swaps

/// What the steps of a graph consist of.
struct Steps {
  bool exchanges;
  bool updates;
};

/// Microseconds of a step, the slowest rank's: the least of three times.
double time_of(Domain& domain, comm::RankGroup& world, const Graph& graph, int launches) {
  double least = 0;
  for (int turn = 0; turn < 4; ++turn) {
    domain.synchronize();
    world.barrier();
    const auto begin = Clock::now();
    for (int i = 0; i < launches; ++i) graph.launch();
    domain.synchronize();
    std::array<double, 1> us{std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / launches /
                             steps};
    world.all_reduce(std::span<double>(us), comm::Reduction::max);
    if (turn > 0) least = turn == 1 ? us[0] : std::min(least, us[0]);  // the first one warms up
  }
  return least;
}

/// Values that differ from row to row and along each.
template <typename T>
void fill(const Subdomain& s, Field<T> field) {
  const HostArray<T> cells(s, field, s.owned());
  for_each_cell(s.owned(), [&](const Vec3& p) { cells(p) = static_cast<T>((5 * p.x + 3 * p.y + 7 * p.z) % 31); });
  cells.upload(s, field);
}

/// The sum of squares after an exchange and an update of a field that was filled: the same bits for all ways to read.
template <typename T>
double result_of(Domain& domain, Field<T> field, reduction_id sum, int radius, Reads reads) {
  for (const Subdomain& s : domain.subdomains()) fill(s, field);
  domain.exchange();
  for (const Subdomain& s : domain.subdomains()) enqueue_star(s, field, radius, reads);
  domain.swap(field.id);
  domain.reduce(sum);
  return domain.value(sum);
}

template <typename T>
void measure(comm::RankGroup& world, DomainOptions options, const Options& wanted, std::int64_t edge, int radius) {
  std::optional<double> expected;
  for (const bool apart : {false, true}) {
    const auto parts = static_cast<std::int64_t>(world.size());
    const bool in_x = wanted.cut == "x";
    options.partition.method = partition::Method::given;
    options.partition.device_grid = in_x ? Vec3{parts, 1, 1} : Vec3{1, 1, parts};
    Domain domain({in_x ? edge * parts : edge, edge, in_x ? edge : edge * parts}, Stencil::star(radius), world,
                  options);
    std::vector<Field<T>> fields;
    for (int f = 0; f < wanted.fields; ++f) {
      fields.push_back(domain.add_field<T>(fmt::format("u{}", f), {.buffers = 2, .x_halos_apart = apart}));
    }
    const reduction_id sum = domain.add_reduction(fields.front().id, Reduce::sum_of_squares);
    domain.realize();
    const auto time = [&](Steps what, Reads reads) {
      auto capture = domain.capture();
      for (int step = 0; step < steps; ++step) {
        if (what.exchanges) domain.exchange();
        for (const Field<T>& field : fields) {
          for (const Subdomain& s : domain.subdomains()) {
            if (what.updates) enqueue_star(s, field, radius, reads);
          }
          domain.swap(field.id);
        }
      }
      const Graph graph = capture.finish();
      return time_of(domain, world, graph, wanted.launches);
    };
    const auto print = [&](Reads reads) {
      const double result = result_of(domain, fields.front(), sum, radius, reads);
      if (result != expected.value_or(result)) throw InternalError("a kernel has read other cells than the first one");
      expected = result;
      const double exchange = time({true, false}, reads), kernel = time({false, true}, reads),
                   both = time({true, true}, reads);
      if (world.rank() != rank_id(0)) return;
      fmt::print("{:<3} {:>5} {:>6}  {:<7} {:<17} {:>8.2f} {:>8.2f} {:>8.2f}\n", sizeof(T) == 4 ? "f32" : "f64", edge,
                 radius, apart ? "apart" : "in rows",
                 fmt::format("{}{}", reads.split ? "SplitView" : "View", reads.staged ? ", staged" : ""), exchange,
                 kernel, both);
      std::fflush(stdout);
    };
    for (const bool staged : {false, true}) {
      if (!apart) print({.split = false, .staged = staged});
      print({.split = true, .staged = staged});
    }
    domain.close();
  }
}

int run(comm::RankGroup& world, const DomainOptions& options, const Options& wanted) {
  if (world.rank() == rank_id(0)) {
    fmt::print("{} rank(s), {} fields, star stencils, periodic, {} steps a graph; us of a step, least of 3 times\n",
               world.size(), wanted.fields, steps);
    fmt::print("{:<3} {:>5} {:>6}  {:<7} {:<17} {:>8} {:>8} {:>8}\n", "", "edge", "radius", "halos", "reads",
               "exchange", "kernels", "both");
  }
  for (const std::int64_t edge : wanted.edges) {
    for (const int radius : {1, 3}) {
      measure<float>(world, options, wanted, edge, radius);
      measure<double>(world, options, wanted, edge, radius);
    }
  }
  return 0;
}

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  using namespace halocline::bench;
  Options wanted;
  CLI::App app("kernels and exchanges with halos in x in rows, and apart", "bench_x_halos");
  app.add_option("--edge", wanted.edges, "cells of a GPU in each dimension, a multiple of 128")->delimiter(',');
  app.add_option("--fields", wanted.fields, "(default 4)")->check(CLI::Range(1, 64));
  app.add_option("--launches", wanted.launches, "of a graph, for a time (default 3)")->check(CLI::Range(1, 10'000));
  app.add_option("--cut", wanted.cut, "dimension between ranks")->check(CLI::IsMember({"x", "z"}));
  return run_program(argc, argv, app,
                     [&](halocline::comm::RankGroup& world, const halocline::Environment& environment) {
                       auto options = halocline::DomainOptions::from(environment);
                       options.devices.kind = halocline::DeviceKind::cuda;
                       options.devices.per_rank = 1;
                       return run(world, options, wanted);
                     });
}
