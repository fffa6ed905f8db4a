// SPDX-License-Identifier: BSD-3-Clause
// `halocline run laplace3d`: schemes of communication on one problem, compared.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/documents.hpp"
#include "cli/outputs.hpp"
#include "cli/planning.hpp"
#include "cli/table.hpp"
#include "comm/agree.hpp"
#include "common/command_trace.hpp"
#include "core/median.hpp"
#include "halocline/error.hpp"
#include "laplace3d/command.hpp"
#include "laplace3d/comparison.hpp"

namespace apps {

using namespace cli;
using namespace halocline;

namespace {

struct LaplaceOptions {
  laplace3d::Comparison what;
  bool singles = false;
  bool compare = false;
  std::optional<laplace3d::Stencil> stencil;
  std::optional<double> alpha;
  std::optional<double> beta;
  std::optional<double> gamma;
  std::optional<std::string> csv;
};

std::string times_text(const std::optional<double>& times) { return times ? fmt::format("{:.2f}", *times) : "-"; }

std::string check_text(const laplace3d::Row& row) {
  if (!row.check) return "-";
  return row.check->passed() ? "passed" : fmt::format("FAILED: {} cells", row.check->different);
}

/// With several ranks: the processes that drive the devices, and the ratio to the scheme over MPI instead of that to one device.
std::string table_text(const std::vector<laplace3d::Row>& rows, bool ranks) {
  std::vector<std::string> header{"size", "scheme", "devices"};
  if (ranks) header.emplace_back("ranks");
  for (const char* name : {"a step", "GFLOP/s", ranks ? "/ mpi" : "/ 1 device", "/ left-right", "check", ""}) {
    header.emplace_back(name);
  }
  Table table(header);
  for (const auto& row : rows) {
    std::vector<Cell> cells{to_string(row.size), std::string(to_string(row.scheme)), fmt::format("{}", row.devices)};
    if (ranks) cells.emplace_back(fmt::format("{}", row.processes));
    cells.push_back(seconds_cell(halocline::median(row.step_s)));
    cells.emplace_back(fmt::format("{:.2f}", row.gflops));
    cells.emplace_back(times_text(ranks ? over_left_right_mpi(row, rows) : over_one_device(row, rows)));
    cells.emplace_back(times_text(over_left_right(row, rows)));
    cells.emplace_back(check_text(row));
    cells.emplace_back(row.detail);
    table.row(std::move(cells));
  }
  return table.text();
}

Json row_json(const laplace3d::Row& row, const std::vector<laplace3d::Row>& rows) {
  Json json{{"size", json_of(row.size)},  {"devices", row.devices},
            {"processes", row.processes}, {"scheme", to_string(row.scheme)},
            {"detail", row.detail},       {"step_s", row.step_s},
            {"gflops", row.gflops}};
  const auto add = [&json](const char* key, const std::optional<double>& value) {
    if (value) json[key] = *value;
  };
  add("over_one_device", over_one_device(row, rows));
  add("over_left_right", over_left_right(row, rows));
  add("over_left_right_mpi", over_left_right_mpi(row, rows));
  if (row.check) {
    json["check"] = {{"passed", row.check->passed()}, {"cells", row.check->cells}, {"different", row.check->different}};
  }
  return json;
}

/// One line a row and round.
std::string csv_text(const laplace3d::Comparison& what, const std::vector<laplace3d::Row>& rows,
                     const char* precision) {
  std::string csv =
      "x,y,z,stencil,precision,steps_per_exchange,devices,processes,scheme,detail,steps,round,step_s,gflops_median,"
      "over_one_device,over_left_right,over_left_right_mpi,check\n";
  for (const auto& row : rows) {
    for (std::size_t round = 0; round < row.step_s.size(); ++round) {
      csv += fmt::format("{},{},{},{},{},{},{},{},{},\"{}\",{},{},{:.9f},{:.4f},{},{},{},{}\n", row.size.x, row.size.y,
                         row.size.z, static_cast<int>(what.stencil), precision, what.options.steps_per_exchange,
                         row.devices, row.processes, to_string(row.scheme), row.detail, what.steps, round,
                         row.step_s[round], row.gflops, times_text(over_one_device(row, rows)),
                         times_text(over_left_right(row, rows)), times_text(over_left_right_mpi(row, rows)),
                         !row.check            ? ""
                         : row.check->passed() ? "passed"
                                               : "failed");
    }
  }
  return csv;
}

/// A trace is of one scheme, which the Domain's exchange is a part of, on one case.
void check_traced(const laplace3d::Comparison& what) {
  if (what.schemes != std::vector{laplace3d::SchemeKind::halocline}) {
    refuse_together("--trace", "other schemes than --scheme halocline");
  }
  if (what.sizes.size() > 1) refuse_together("--trace", "--sizes of several domains");
  if (what.devices.size() > 1) refuse_together("--trace", "--device-counts of several numbers");
}

/// The flags put together; what contradicts is refused.
void resolve(const Options& options, int ranks, LaplaceOptions& own) {
  auto& what = own.what;
  what.stencil = own.stencil.value_or(laplace3d::Stencil::points7);
  what.coefficients = default_coefficients(what.stencil);
  if (own.gamma && what.stencil == laplace3d::Stencil::points7) {
    refuse_without("--gamma", "--stencil 19");
  }
  what.coefficients.alpha = own.alpha.value_or(what.coefficients.alpha);
  what.coefficients.beta = own.beta.value_or(what.coefficients.beta);
  what.coefficients.gamma = own.gamma.value_or(what.coefficients.gamma);
  if (what.sizes.empty()) what.sizes = {options.size};
  if (own.compare && !what.schemes.empty()) refuse_together("--scheme", "--compare");
  if (own.compare) what.schemes = laplace3d::schemes_for(ranks);
  if (what.schemes.empty()) what.schemes = {laplace3d::SchemeKind::halocline};
  if (options.trace) check_traced(what);
  if (what.own && std::ranges::find(what.schemes, laplace3d::SchemeKind::halocline) == what.schemes.end()) {
    refuse_without("--order", "--scheme halocline");
  }
}

template <typename T>
int run_laplace(Context& context, LaplaceOptions own) {
  comm::agree_on(context.world, [&] { resolve(context.options, context.world.size(), own); });
  if (own.csv) check_output(context, "--csv", *own.csv);
  RunTrace trace(context);
  auto& what = own.what;
  what.options = domain_options(context);
  what.options.steps_per_exchange = context.options.steps_per_exchange;
  if (context.options.trace) {
    const std::int64_t steps = traced_exchanges * context.options.steps_per_exchange;
    trace.set_steps(0, what.steps, steps);
    what.watch = {.cycles = traced_exchanges,
                  .begin = [&trace, first = std::max<std::int64_t>(what.steps - steps, 0)](
                               Domain& domain) { trace.at(first, domain); },
                  .end = [&trace, last = what.steps](Domain& domain) { trace.at(last, domain); }};
  }
  std::vector<laplace3d::Row> rows;
  std::size_t shown = 0;
  rows = laplace3d::compare<T>(context.world, what, [&](const std::vector<laplace3d::Row>& now) {
    if (!context.root()) return;
    for (; shown < now.size(); ++shown) {
      const auto& row = now[shown];
      fmt::print(stderr, "laplace3d: {} on {}: {}: {:.2f} GFLOP/s\n", to_string(row.size),
                 plural(row.devices, "device"), to_string(row.scheme), row.gflops);
    }
  });
  context.print_text(table_text(rows, context.world.size() > 1));
  const char* precision = sizeof(T) == sizeof(double) ? "f64" : "f32";
  if (own.csv) write_output(context, "--csv", *own.csv, csv_text(what, rows, precision));

  Json document = document_of("run laplace3d");
  document["stencil"] = static_cast<int>(what.stencil);
  document["coefficients"] = {
      {"alpha", what.coefficients.alpha}, {"beta", what.coefficients.beta}, {"gamma", what.coefficients.gamma}};
  document["precision"] = precision;
  document["steps_per_exchange"] = what.options.steps_per_exchange;
  document["steps"] = what.steps;
  document["rounds"] = what.rounds;
  trace.report(context, document);
  document["rows"] = Json::array();
  for (const auto& row : rows) document["rows"].push_back(row_json(row, rows));
  context.print_document(document);
  const bool passed =
      std::all_of(rows.begin(), rows.end(), [](const auto& row) { return !row.check || row.check->passed(); });
  return passed ? 0 : 1;
}

void add_problem_options(CLI::App& command, LaplaceOptions& own) {
  const std::string group = "Laplace";
  add_words(command, "--sizes", "N ...", 64,
            "edges of cubes of inner points, run one after the other instead of --size",
            [&own](const auto& name, const auto& words) {
              own.what.sizes.clear();
              for (const auto& word : split_at_commas(words)) {
                own.what.sizes.push_back(Vec3::filled(parse_integer(name, word, 1, 1 << 16)));
              }
            })
      ->group(group);
  add_choice(command, "--stencil", "POINTS", "7 (default) or 19", own.stencil,
             Choices<laplace3d::Stencil>{{"7", laplace3d::Stencil::points7}, {"19", laplace3d::Stencil::points19}})
      ->group(group);
  add_positive(command, "--alpha", "A", "weight of the cell itself (default 0.4; 0.2 with 19 points)", own.alpha, 1)
      ->group(group);
  add_positive(command, "--beta", "A", "weight of neighbours across faces (default 0.1; 1/15)", own.beta, 1)
      ->group(group);
  add_positive(command, "--gamma", "A", "weight of neighbours across edges (19 points; default 1/30)", own.gamma, 1)
      ->group(group);
  add_choice(command, "--precision", "TYPE", "f64 (default) or f32", own.singles,
             Choices<bool>{{"f64", false}, {"f32", true}})
      ->group(group);
}

void add_laplace_options(CLI::App& command, Options& options, LaplaceOptions& own) {
  const std::string group = "Laplace";
  add_words(command, "--scheme", "NAME ...", static_cast<int>(laplace3d::all_schemes.size()),
            "baseline, left-right, pairwise, threads, threads+p2p, left-right+mpi, pairwise+mpi, halocline (default); "
            "several "
            "are compared",
            [&own](const auto& name, const auto& words) {
              own.what.schemes.clear();
              for (const auto& word : split_at_commas(words)) {
                own.what.schemes.push_back(parse_choice(name, word, choices_of(laplace3d::all_schemes)));
              }
            })
      ->group(group);
  add_word(command, "--order", "ORDER",
           "halocline: exchange-first, sides-last or sides-beside, instead of the fastest of a trial",
           [&own](const auto& name, const auto& word) {
             using Order = laplace3d::OwnOrder;
             const Choices<Order> orders{{"exchange-first", Order::exchange_first},
                                         {"sides-last", Order::sides_last},
                                         {"sides-beside", Order::sides_beside}};
             own.what.own = {parse_choice(name, word, orders), true};
           })
      ->group(group);
  add_flag(command, "--compare", "run all schemes alternately", own.compare)->group(group);
  add_integers(command, "--device-counts", "D ...", 16,
               "numbers of devices of each rank, one after the other, instead of --devices", own.what.devices, 1, 64)
      ->group(group);
  add_integer(command, "--steps", "N", "steps of a round (default 100)", own.what.steps, 1, std::int64_t{1} << 40)
      ->group(group);
  add_integer(command, "--rounds", "N", "rounds; the median counts (default 5)", own.what.rounds, 1, 10'000)
      ->group(group);
  add_integer(command, "--steps-per-exchange", "K", "exchange ghost regions of K planes once in K steps (default 1)",
              options.steps_per_exchange, 1, most_steps_per_exchange)
      ->group(group);
  add_flag(command, "--check", "compare each scheme with a serial solution, bit for bit; exit code 1 if they differ",
           own.what.check)
      ->group(group);
  add_text(command, "--csv", "FILE", "write one line for each round", own.csv)->group(group);
}

class Laplace : public App {
 public:
  [[nodiscard]] std::string name() const override { return "laplace3d"; }
  [[nodiscard]] std::string description() const override {
    return "7-point Laplace in slabs: schemes of communication, compared";
  }
  [[nodiscard]] std::vector<std::string> examples() const override {
    return {"halocline run laplace3d --size 32 --devices 2 --steps 20 --check",
            "halocline run laplace3d --size 32 --devices 2 --steps 20 --rounds 3 --compare"};
  }
  /// It cuts in z, a slab a device, so that it takes no options of the partition.
  void add_options(CLI::App& command, Options& options) override {
    add_place_options(command, options);
    add_route_options(command, options);
    add_exchange_options(command, options);
    add_problem_options(command, own_);
    add_laplace_options(command, options, own_);
  }
  int run(Context& context) override {
    return own_.singles ? run_laplace<float>(context, own_) : run_laplace<double>(context, own_);
  }

 private:
  LaplaceOptions own_;
};

}  // namespace

std::unique_ptr<App> make_laplace3d() { return std::make_unique<Laplace>(); }

}  // namespace apps
