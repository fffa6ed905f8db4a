// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "io/json.hpp"
#include "mapping/mapping.hpp"
#include "mapping/quality.hpp"
#include "support/cost.hpp"
#include "support/csv.hpp"

namespace halocline::bench {
namespace {

using mapping::JobMapping;
using mapping::JobRequest;
using mapping::Mapper;

struct Outcome {
  double congestion = 0;  ///< seconds, the largest
  double simulated = -1;  ///< seconds; negative where the way is not possible
  double mapping_seconds = 0;
};

/// The least of some runs.
double least_seconds(auto&& work) {
  constexpr int runs = 3;
  double least = processor_seconds(work);
  for (int run = 1; run < runs; ++run) least = std::min(least, processor_seconds(work));
  return least;
}

Outcome outcome_of(const machine::MachineMap& machine, const Case& one, const Way& way) {
  JobRequest request;
  request.machine = &machine;
  request.cpu = &one.cpu;
  request.gpu = &one.gpu;
  request.strategy = way.strategy;
  request.mappers = way.mappers;
  JobMapping mapped;
  Outcome outcome;
  outcome.mapping_seconds = least_seconds([&] { mapped = mapping::map_job(request); });
  outcome.congestion = mapping::assess(request, mapped.seats).together.maximum();
  outcome.simulated = simulated_seconds(machine, one, mapped.seats);
  return outcome;
}

std::string gain_text(double before, double after) { return fmt::format("{:.1f}", 100 * (1 - after / before)); }

class Table {
 public:
  explicit Table(const std::string& csv) {
    if (!csv.empty()) {
      csv_.emplace(csv, std::vector<std::string>{"machine", "pattern", "weighted", "bytes", "mapped_by",
                                                 "max_congestion_s", "simulated_s", "mapping_s"});
    }
    fmt::print("{:<24} {:<22} {:>9}  {:<10} {:>11}", "machine", "pattern", "bytes", "", "default");
    for (const Way& way : ways_) {
      if (way.strategy != mapping::Strategy::in_order) fmt::print(" {:>11}", way.name);
    }
    fmt::print(" {:>8}\n", "ours ms");
    std::fflush(stdout);
  }

  void row(const machine::MachineMap& machine, const Case& one) {
    std::vector<Outcome> outcomes;
    for (const Way& way : ways_) {
      const bool possible = mapping::have_scotch() || way.mappers.cores != Mapper::scotch;
      outcomes.push_back(possible ? outcome_of(machine, one, way) : Outcome{-1, -1, 0});
      if (possible) write(machine, one, way, outcomes.back());
    }
    double ours_ms = 0;
    for (std::size_t w = 0; w < ways_.size(); ++w) {
      if (ways_[w].strategy == mapping::Strategy::best) ours_ms = 1e3 * outcomes[w].mapping_seconds;
    }
    print(
        machine, one, "congestion", outcomes, [](const Outcome& o) { return o.congestion; }, ours_ms);
    print(
        machine, one, "time", outcomes, [](const Outcome& o) { return o.simulated; }, ours_ms);
  }

 private:
  void write(const machine::MachineMap& machine, const Case& one, const Way& way, const Outcome& outcome) {
    if (!csv_) return;
    csv_->row({machine.name, one.name, one.weighted ? "yes" : "no", fmt::format("{}", one.bytes), way.name,
               fmt::format("{:.6e}", outcome.congestion), fmt::format("{:.6e}", outcome.simulated),
               fmt::format("{:.6f}", outcome.mapping_seconds)});
  }

  template <typename Value>
  static void print(const machine::MachineMap& machine, const Case& one, const char* what,
                    const std::vector<Outcome>& outcomes, Value value, double ours_ms) {
    const double before = value(outcomes.front());
    fmt::print("{:<24} {:<22} {:>9}  {:<10} {:>8.3f} ms", machine.name, one.name + (one.weighted ? " weighted" : ""),
               one.bytes, what, 1e3 * before);
    for (std::size_t w = 1; w < outcomes.size(); ++w) {
      const double after = value(outcomes[w]);
      fmt::print(" {:>9} %", after < 0 ? "-" : gain_text(before, after));
    }
    fmt::print(" {:>8.1f}\n", ours_ms);
  }

  std::vector<Way> ways_ = ways();
  std::optional<Csv> csv_;
};

}  // namespace

void patterns_table(const PatternsRequest& request) {
  fmt::print("{} ranks; less than the default by; ours ms: time to map, of the processor\n", request.ranks);
  Table table(request.csv);
  for (const std::string& file : request.machines) {
    const machine::MachineMap machine = io::read_machine_file(file);
    for (const std::int64_t bytes : request.bytes) {
      for (const Case& one : nine_patterns(request.ranks, bytes)) table.row(machine, one);
      table.row(machine, hoomd_case(request.ranks, bytes));
    }
    for (int seed = 1; seed <= request.irregular; ++seed) {
      table.row(machine, irregular_case(request.ranks, request.bytes.back(), static_cast<std::uint64_t>(seed)));
    }
  }
}

}  // namespace halocline::bench
