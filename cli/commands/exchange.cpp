// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <memory>
#include <optional>
#include <vector>

#include "commands/commands.hpp"
#include "documents.hpp"
#include "domain/internals.hpp"
#include "planning.hpp"
#include "table.hpp"
#include "trace.hpp"
#include "tuning.hpp"
#include "verify.hpp"

namespace cli {
namespace {

using namespace halocline;

struct ExchangeOptions {
  std::int64_t repeat = 30;
  std::int64_t warm_up = 2;
  std::int64_t steady = 1000;
  std::int64_t graph = 0;  ///< exchanges that are recorded and replayed as one launch; 0: one launch each
  bool accumulate = false;
  std::optional<Reduce> reduce;  ///< of the first field, behind each exchange
  bool verify = false;
};

/// What is timed. A domain has at most one reduction.
void move_halos(Domain& domain, const ExchangeOptions& options) {
  if (options.accumulate) {
    domain.accumulate();
  } else {
    domain.exchange();
  }
  if (options.reduce) domain.reduce(reduction_id(0));
}

double seconds_between(Duration begin, Duration end) { return std::chrono::duration<double>(end - begin).count(); }

/// Barrier, exchange until the halos are there, maximum over ranks; `repeat` times.
std::vector<double> timed_exchanges(Domain& domain, const ExchangeOptions& options) {
  auto comm = domain.plan().comm;
  const Clock& clock = Clock::steady();
  std::vector<double> times;
  for (std::int64_t i = -options.warm_up; i < options.repeat; ++i) {
    comm.barrier();
    const auto begin = clock.now();
    move_halos(domain, options);
    domain.synchronize();
    const double slowest = comm.all_reduce(seconds_between(begin, clock.now()), comm::Reduction::max);
    if (i >= 0) times.push_back(slowest);
  }
  return times;
}

/// Exchanges as they are timed back to back: one by one, or several recorded and replayed as one launch.
class SteadyExchanges {
 public:
  SteadyExchanges(Domain& domain, const ExchangeOptions& options)
      : domain_(&domain), options_(&options), at_once_(std::max<std::int64_t>(options.graph, 1)) {
    if (options.graph == 0) return;
    auto capture = domain.capture();
    for (std::int64_t i = 0; i < at_once_; ++i) move_halos(domain, options);
    recording_.emplace(capture.finish());
    recording_->launch();  // the first launch brings it to the devices
    domain.synchronize();
  }
  /// So many exchanges at once.
  [[nodiscard]] std::int64_t at_once() const { return at_once_; }
  void launch() {
    if (recording_) {
      recording_->launch();
    } else {
      move_halos(*domain_, *options_);
    }
  }

 private:
  Domain* domain_;
  const ExchangeOptions* options_;
  std::int64_t at_once_;
  std::optional<Graph> recording_;
};

/// Seconds an exchange, of many back to back with nothing in between; maximum over ranks.
double steady_exchange(Domain& domain, SteadyExchanges& exchanges, std::int64_t wanted) {
  auto comm = domain.plan().comm;
  const Clock& clock = Clock::steady();
  const std::int64_t launches = (wanted + exchanges.at_once() - 1) / exchanges.at_once();
  comm.barrier();
  const auto begin = clock.now();
  for (std::int64_t i = 0; i < launches; ++i) exchanges.launch();
  domain.synchronize();
  return comm.all_reduce(seconds_between(begin, clock.now()), comm::Reduction::max) /
         static_cast<double>(launches * exchanges.at_once());
}

template <typename Exchange>
Verdict exchange_and_verify(Domain& domain, std::uint64_t round, Exchange&& exchange) {
  fill_for_verification(domain, round);
  exchange();
  return verify(domain, round);
}

std::string verdict_text(const Verdict& verdict) {
  if (verdict.passed() && verdict.messages == 0) return "verify: nothing to verify: no halos\n";
  return fmt::format("verify: {}: {} halo elements, {} wrong; {} others, {} changed{}\n",
                     verdict.passed() ? "passed" : "FAILED", verdict.halo_cells, verdict.halo_wrong,
                     verdict.other_cells, verdict.other_changed,
                     verdict.first.empty() ? "" : "; first: " + verdict.first);
}

Json verdict_json(const Verdict& verdict) {
  return {{"passed", verdict.passed()},
          {"halo_elements", verdict.halo_cells},
          {"halo_wrong", verdict.halo_wrong},
          {"other_elements", verdict.other_cells},
          {"other_changed", verdict.other_changed},
          {"first", verdict.first}};
}

std::string times_table(const Statistics& s) {
  Table table({"mean", "trimean", "min", "25 %", "median", "75 %", "95 %", "max"});
  table.same_units();
  table.row({seconds_cell(s.mean), seconds_cell(s.trimean), seconds_cell(s.min), seconds_cell(s.p25),
             seconds_cell(s.p50), seconds_cell(s.p75), seconds_cell(s.p95), seconds_cell(s.max)});
  return table.text();
}

/// Exchanges that are traced.
constexpr int traced_exchanges = 3;

int run_exchange(Context& context, const ExchangeOptions& wanted) {
  const Options& options = context.options;
  std::optional<TraceFile> trace;
  if (options.trace) trace.emplace(context, *options.trace);
  Domain domain(options.size, options.stencil, context.world, domain_options(context));
  for (const auto& field : options.fields) domain.add_field(field);
  if (wanted.reduce) domain.add_reduction(field_id(0), *wanted.reduce);
  domain.on_open_boundary({});  // what lies beyond open ends stays as it is, which --verify checks
  tune_if_asked(context, domain);
  domain.realize();
  log_plan(context, internals(domain).plan());

  // The first round is the first exchange ever, the others come after all that were timed; the last one goes as those did
  // that were timed back to back.
  std::optional<Verdict> verdict;
  const auto verify_next = [&](std::uint64_t round, auto&& exchange) {
    if (wanted.verify && (!verdict || verdict->passed())) verdict = exchange_and_verify(domain, round, exchange);
  };
  verify_next(1, [&] { domain.exchange(); });
  const Statistics times = statistics_of(timed_exchanges(domain, wanted));
  double steady = 0;
  if (wanted.steady > 0) {
    SteadyExchanges exchanges(domain, wanted);
    steady = steady_exchange(domain, exchanges, wanted.steady);
    verify_next(2, [&] { exchanges.launch(); });
  }
  verify_next(3, [&] { domain.exchange(); });
  if (trace) {
    trace->start(domain);
    for (int i = 0; i < traced_exchanges; ++i) domain.exchange();
    trace->write(domain);
  }

  const auto shares = shares_of_all_ranks(domain);
  const auto machine = machine_summary(internals(domain).plan().machine);
  const auto partition = internals(domain).geometry().partition;
  const std::string devices = devices_text(domain);
  const std::string backend = backend_name(domain);
  const std::string tuned = tuned_line(domain);
  const Json tuned_document = tuned_json(domain);
  domain.close();

  Json document = document_of("exchange");
  document["domain"] = domain_json(options);
  document["machine"] = machine;
  document["backend"] = backend;
  document["subdomain_grid"] = json_of(partition.grid());
  document["repeat"] = wanted.repeat;
  if (wanted.accumulate) document["accumulate"] = true;
  if (wanted.reduce) document["reduce"] = std::string(to_string(*wanted.reduce));
  document["times"] = statistics_json(times);
  if (wanted.steady > 0)
    document["steady"] = {{"exchanges", wanted.steady}, {"graph", wanted.graph}, {"mean_s", steady}};
  document["transports"] = shares_json(shares);
  if (!tuned_document.is_null()) document["tuned"] = tuned_document;
  if (verdict) document["verify"] = verdict_json(*verdict);
  if (trace) document["trace"] = *options.trace;
  context.print_document(document);

  std::string text = fmt::format(
      "{}, radius {}{}, {}, {}, {} as {} on {}\n\n{}{}\n", to_string(options.size), to_string(options.stencil),
      options.steps_per_exchange > 1 ? fmt::format(" x {} steps", options.steps_per_exchange) : "",
      plural(std::ssize(options.fields), "field"), plural(context.world.size(), "rank"),
      plural(partition.size(), "subdomain"), to_string(partition.grid()), devices, shares_table(shares),
      share_of_step_text(shares, options.steps_per_exchange));
  if (!tuned.empty()) text += tuned + "\n";
  std::string timed = wanted.accumulate ? "accumulations" : "exchanges";
  if (wanted.reduce) timed += fmt::format(" with {} of the first field", to_string(*wanted.reduce));
  text += fmt::format("{} {}, each after a barrier, the slowest rank's time:\n{}", wanted.repeat, timed,
                      times_table(times));
  if (wanted.steady > 0) {
    text += fmt::format("\n{} {} back to back: {} each\n", wanted.steady, timed, seconds_text(steady));
  }
  if (verdict) text += "\n" + verdict_text(*verdict);
  if (trace) text += fmt::format("\ntrace: {} ({} exchanges)\n", *options.trace, traced_exchanges);
  context.print_text(text);
  return verdict && !verdict->passed() ? 1 : 0;
}

}  // namespace

void add_exchange_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand("exchange", "5. exchange halos on the machine at hand, and time it");
  add_size_option(*command, options);
  add_stencil_options(*command, options);
  add_machine_options(*command, options);
  add_map_option(*command, options);
  add_decision_options(*command, options);
  add_tune_options(*command, options);
  add_output_options(*command, options);
  auto own = std::make_shared<ExchangeOptions>();
  add_integer(*command, "--repeat", "N", "timed exchanges, each after a barrier (default 30)", own->repeat, 1,
              1'000'000);
  add_integer(*command, "--warm-up", "N", "exchanges before the timed ones (default 2)", own->warm_up, 0, 1'000'000);
  add_integer(*command, "--steady", "N", "timed exchanges back to back, for the steady state (default 1000; 0: none)",
              own->steady, 0, 100'000'000);
  add_integer(*command, "--graph", "N",
              "replay the back-to-back exchanges as graphs of N exchanges (default 0: no graph)", own->graph, 0,
              10'000);
  add_flag(*command, "--accumulate", "time Domain::accumulate instead, which adds halos to the owned cells",
           own->accumulate);
  add_choice(*command, "--reduce", "WHAT",
             "reduce the first field behind each exchange: sum, sum_of_squares, min, max or max_abs", own->reduce,
             choices_of(all_reductions));
  add_trace_option(*command, options, "afterwards, record when each operation of three exchanges runs");
  add_flag(*command, "--verify", "check every halo cell, before and after timing; exit code 1 on failure", own->verify);
  add_examples(*command, {"halocline exchange --devices 4 --size 64 --fields 4xf32 --verify",
                          "mpirun -n 2 halocline exchange --devices-per-rank 2 --size 64 --radius 3",
                          "mpirun -n 2 halocline exchange --devices-per-rank 2 --size 128 --trace trace.json"});
  command->callback([&chosen, &options, own] {
    if (own->graph > 0 && own->steady == 0) refuse_without("--graph", "--steady of 1 or more");
    if (options.trace && own->accumulate) refuse_together("--trace", "--accumulate");
    if (own->verify && own->accumulate) refuse_together("--verify", "--accumulate");
    chosen = [own](Context& context) { return run_exchange(context, *own); };
  });
}

}  // namespace cli
