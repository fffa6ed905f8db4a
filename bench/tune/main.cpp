// SPDX-License-Identifier: BSD-3-Clause
// One case: tunes a domain, tries every fixed choice, and times the fastest of them beside the default and the tuned choice, all in
// turns in fresh rounds. Prints a line of JSON.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "io/json_value.hpp"
#include "routing/messages.hpp"
#include "support/program.hpp"
#include "tune/choices.hpp"

namespace halocline::bench {
namespace {

struct Wanted {
  std::string size = "32";
  std::int64_t radius = 1;
  int fields = 1;
  int devices_per_rank = 1;
  double budget = 2;
  int finalists = 10;
  int rounds = 60;
};

constexpr int rounds_of_each = 3;
constexpr double sample_seconds = 3e-3;

/// Closes the domain of one.
void leave(Timed& one) {
  one.domain->close();
  one.domain.reset();
}

/// Whether settings change nothing: no message goes by the transport, or bundles and directions of transports that have none.
bool is_another_in_effect(comm::RankGroup& world, const Domain& domain, const io::Settings& settings) {
  const auto moves = [&](routing::Transport transport) {
    return world.all_reduce(internals(domain).traffic(transport).messages, comm::Reduction::sum) > 0;
  };
  if (const auto first = settings.find("first-transport"); first != settings.end()) {
    if (!moves(routing::transport_from_string(first->second))) return true;
  }
  const auto messages = settings.find("messages");
  if (messages == settings.end()) return false;
  if (messages->second != "by_direction") return !moves(routing::Transport::mpi_staged);
  return std::ranges::none_of(routing::all_transports, [&](auto transport) {
    return routing::moves_one_by_one(transport) && moves(transport);  // the same on all ranks
  });
}

/// All fixed choices that can be set up, the fastest first, each timed alone. Those that come to others are left out.
std::vector<Timed> tried_alone(comm::RankGroup& world, const TuneCase& tried, std::int64_t exchanges) {
  std::vector<Timed> all;
  for (const io::Settings& settings : all_choices(world, tried)) {
    std::vector<Timed> one;
    try {
      one.push_back({settings, domain_with(world, tried, settings)});
    } catch (const Error&) {
      continue;  // all ranks throw the same
    }
    if (is_another_in_effect(world, *one.front().domain, settings)) {
      leave(one.front());
      continue;
    }
    time_in_turns(world, one, 1, 1);
    one.front().seconds.clear();
    time_in_turns(world, one, rounds_of_each, exchanges);
    leave(one.front());
    all.push_back(std::move(one.front()));
  }
  std::ranges::stable_sort(all, [](const Timed& a, const Timed& b) { return a.median() < b.median(); });
  return all;
}

int run_case(comm::RankGroup& world, const Environment& environment, const Wanted& wanted) {
  TuneCase tried{extent_from("--size", wanted.size), Stencil::box(wanted.radius), {}, DomainOptions::from(environment)};
  tried.options.devices.per_rank = wanted.devices_per_rank;
  tried.options.tuning.domains_at_once = 1;  // they take turns
  for (int f = 0; f < wanted.fields; ++f) {
    tried.fields.emplace_back();
    tried.fields.back().name = fmt::format("f{}", f);
  }
  const auto begin = std::chrono::steady_clock::now();
  Domain tuned(tried.extent, tried.stencil, world, tried.options);
  for (const FieldDescriptor& field : tried.fields) tuned.add_field(field);
  tuned.tune("", std::chrono::duration_cast<Duration>(std::chrono::duration<double>(wanted.budget)));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const io::Settings winner = internals(tuned).tuned()->winner;

  // Devices and the machine are shared, so that set-up takes less.
  Domain first(tried.extent, tried.stencil, world, tried.options);
  for (const FieldDescriptor& field : tried.fields) first.add_field(field);
  const Planned planned = first.plan();
  tried.options.devices.existing = planned.devices;
  tried.options.machine.map = planned.machine;

  std::vector<Timed> finals;
  const auto enter = [&](const io::Settings& settings) {
    finals.push_back({settings, domain_with(world, tried, settings)});
  };
  enter({});
  time_in_turns(world, finals, 3, 1);
  const auto exchanges = static_cast<std::int64_t>(std::clamp(sample_seconds / finals[0].median(), 1.0, 1e4));
  const std::vector<Timed> alone = tried_alone(world, tried, exchanges);
  enter({});
  enter(winner);
  for (const Timed& one : alone) {
    if (static_cast<int>(finals.size()) == wanted.finalists + 3) break;
    enter(one.settings);
  }
  time_in_turns(world, finals, 1, 1);
  for (Timed& one : finals) one.seconds.clear();
  time_in_turns(world, finals, wanted.rounds, exchanges);

  // The best is chosen by one half of its rounds and reported by the other, or luck would make it faster than it is.
  const auto best =
      std::ranges::min_element(finals, [](const Timed& a, const Timed& b) { return a.median_of(0) < b.median_of(0); });
  io::Json out{{"size", wanted.size},
               {"radius", wanted.radius},
               {"fields", wanted.fields},
               {"ranks", world.size()},
               {"devices_per_rank", wanted.devices_per_rank},
               {"nodes", planned.machine.map().nodes.size()},
               {"choices", alone.size()},
               {"exchanges", exchanges},
               {"default_s", finals[0].median_of(1)},
               {"default_again_s", finals[1].median_of(1)},
               {"tuned_s", finals[2].median_of(1)},
               {"best_s", best->median_of(1)},
               {"tuned", io::text_of(winner)},
               {"best", io::text_of(best->settings)},
               {"tuning_s", took.count()}};
  out["finalists"] = io::Json::array();
  for (const Timed& one : finals) {
    out["finalists"].push_back(
        {{"settings", io::text_of(one.settings)}, {"even_s", one.median_of(0)}, {"odd_s", one.median_of(1)}});
  }
  const io::TunedEntry& entry = *internals(tuned).tuned();
  out["spent_s"] = entry.spent;
  for (const char* list : {"trials", "skipped"}) out[list] = io::Json::array();
  for (const io::TunedTrial& trial : entry.trials) {
    out["trials"].push_back({{"settings", io::text_of(trial.settings)},
                             {"rounds", trial.rounds},
                             {"median_s", trial.seconds.p50},
                             {"default_s", trial.of_default.p50}});
  }
  for (const io::TunedSkip& skip : entry.skipped) out["skipped"].push_back({skip.what, skip.why});
  for (Timed& one : finals) leave(one);
  first.close();
  tuned.close();
  if (world.rank() == rank_id(0)) fmt::print("{}\n", out.dump());
  return 0;
}

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  CLI::App app("a tuned exchange beside all fixed choices", "bench_tune");
  bench::Wanted wanted;
  app.add_option("--size", wanted.size, "cells of the domain: 64 or 64x32x16");
  app.add_option("--radius", wanted.radius, "of the stencil (default 1)")->check(CLI::Range(1, 16));
  app.add_option("--fields", wanted.fields, "of fp32 (default 1)")->check(CLI::Range(1, 64));
  app.add_option("--devices-per-rank", wanted.devices_per_rank, "(default 1)")->check(CLI::Range(1, 64));
  app.add_option("--budget", wanted.budget, "seconds of tuning (default 2)")->check(CLI::PositiveNumber);
  app.add_option("--finalists", wanted.finalists, "fixed choices in the last rounds (default 10)")
      ->check(CLI::Range(1, 64));
  app.add_option("--rounds", wanted.rounds, "last rounds (default 60)")->check(CLI::Range(2, 10'000));
  return bench::run_program(argc, argv, app,
                            [&](halocline::comm::RankGroup& world, const halocline::Environment& environment) {
                              return bench::run_case(world, environment, wanted);
                            });
}
