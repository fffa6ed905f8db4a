#include <fmt/core.h>

#include <memory>
#include <optional>
#include <vector>

#include "commands/commands.hpp"
#include "documents.hpp"
#include "planning.hpp"
#include "table.hpp"
#include "verify.hpp"

namespace cli {
namespace {

using namespace halocline;

struct ExchangeOptions {
  std::int64_t repeat = 30;
  std::int64_t warm_up = 2;
  std::int64_t steady = 1000;
  std::int64_t graph = 0;  ///< exchanges that are recorded and replayed as one launch; 0: one launch each
  bool verify = false;
};

double seconds_between(Duration begin, Duration end) { return std::chrono::duration<double>(end - begin).count(); }

/// Barrier, exchange until the halos are there, maximum over ranks; `repeat` times.
std::vector<double> timed_exchanges(Domain& domain, const ExchangeOptions& options) {
  auto& comm = domain.comm();
  const Clock& clock = Clock::steady();
  std::vector<double> times;
  for (std::int64_t i = -options.warm_up; i < options.repeat; ++i) {
    comm.barrier();
    const auto begin = clock.now();
    domain.exchange();
    domain.synchronize();
    const double slowest = comm.all_reduce(seconds_between(begin, clock.now()), comm::Reduction::max);
    if (i >= 0) times.push_back(slowest);
  }
  return times;
}

/// Seconds an exchange, of many back to back with nothing in between; maximum over ranks.
double steady_exchange(Domain& domain, const ExchangeOptions& options) {
  auto& comm = domain.comm();
  const Clock& clock = Clock::steady();
  const std::int64_t at_once = std::max<std::int64_t>(options.graph, 1);
  const std::int64_t launches = (options.steady + at_once - 1) / at_once;
  std::optional<Recording> recording;
  if (options.graph > 0) {
    recording.emplace(domain.capture([&] {
      for (std::int64_t i = 0; i < at_once; ++i) domain.exchange();
    }));
    domain.replay(*recording);  // the first launch brings it to the devices
    domain.synchronize();
  }
  comm.barrier();
  const auto begin = clock.now();
  for (std::int64_t i = 0; i < launches; ++i) {
    if (recording) {
      domain.replay(*recording);
    } else {
      domain.exchange();
    }
  }
  domain.synchronize();
  return comm.all_reduce(seconds_between(begin, clock.now()), comm::Reduction::max) /
         static_cast<double>(launches * at_once);
}

Verdict exchange_and_verify(Domain& domain, std::uint64_t round) {
  fill_for_verification(domain, round);
  domain.exchange();
  return verify(domain, round);
}

std::string verdict_text(const Verdict& verdict) {
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
  table.row({seconds_text(s.mean), seconds_text(s.trimean), seconds_text(s.min), seconds_text(s.p25),
             seconds_text(s.p50), seconds_text(s.p75), seconds_text(s.p95), seconds_text(s.max)});
  return table.text();
}

int run_exchange(Context& context, const ExchangeOptions& wanted) {
  const Options& options = context.options;
  Domain domain(options.size, options.radius, context.world, domain_options(context));
  for (const auto& field : options.fields) domain.add_field(field);
  domain.realize();

  // The first round is the first exchange ever, the second one comes after all others.
  std::optional<Verdict> verdict;
  if (wanted.verify) verdict = exchange_and_verify(domain, 1);
  const Statistics times = statistics_of(timed_exchanges(domain, wanted));
  const double steady = wanted.steady > 0 ? steady_exchange(domain, wanted) : 0;
  if (verdict && verdict->passed()) verdict = exchange_and_verify(domain, 2);

  const auto shares = shares_of_all_ranks(domain);
  const auto machine = machine_summary(domain.plan().machine);
  const auto partition = domain.geometry().partition;
  const std::string devices = devices_text(domain);
  const std::string backend = backend_name(domain);
  domain.close();

  Json document = document_of("exchange");
  document["domain"] = domain_json(options);
  document["machine"] = machine;
  document["backend"] = backend;
  document["subdomain_grid"] = json_of(partition.grid());
  document["repeat"] = wanted.repeat;
  document["times"] = statistics_json(times);
  if (wanted.steady > 0)
    document["steady"] = {{"exchanges", wanted.steady}, {"graph", wanted.graph}, {"mean_s", steady}};
  document["transports"] = shares_json(shares);
  if (verdict) document["verify"] = verdict_json(*verdict);
  context.print_document(document);

  std::string text = fmt::format("{}, radius {}{}, {}, {}, {} as {} on {}\n\n{}{}\n", to_string(options.size),
                                 to_string(options.radius),
                                 options.halo_multiplier > 1 ? fmt::format(" x {} steps", options.halo_multiplier) : "",
                                 plural(std::ssize(options.fields), "field"), plural(context.world.size(), "rank"),
                                 plural(partition.size(), "subdomain"), to_string(partition.grid()), devices,
                                 shares_table(shares), share_of_step_text(shares, options.halo_multiplier));
  text += fmt::format("{} exchanges, each after a barrier, the slowest rank's time:\n{}", wanted.repeat,
                      times_table(times));
  if (wanted.steady > 0) {
    text += fmt::format("\n{} exchanges back to back: {} each\n", wanted.steady, seconds_text(steady));
  }
  if (verdict) text += "\n" + verdict_text(*verdict);
  context.print_text(text);
  return verdict && !verdict->passed() ? 1 : 0;
}

}  // namespace

void add_exchange_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand("exchange", "5. move halos on the machine at hand: times, shares, --verify");
  add_size_option(*command, options);
  add_stencil_options(*command, options);
  add_machine_options(*command, options);
  add_decision_options(*command, options);
  add_output_options(*command, options);
  auto own = std::make_shared<ExchangeOptions>();
  add_word(*command, "--repeat", "N", "timed exchanges, each after a barrier (default 30)",
           [own](const auto& name, const auto& word) { own->repeat = parse_integer(name, word, 1, 1'000'000); });
  add_word(*command, "--warm-up", "N", "exchanges before those that are not counted (default 2)",
           [own](const auto& name, const auto& word) { own->warm_up = parse_integer(name, word, 0, 1'000'000); });
  add_word(*command, "--steady", "N", "exchanges back to back for the steady state (default 1000; 0: none)",
           [own](const auto& name, const auto& word) { own->steady = parse_integer(name, word, 0, 100'000'000); });
  add_word(*command, "--graph", "N", "of those, exchanges that are replayed as one launch (default 0: none)",
           [own](const auto& name, const auto& word) { own->graph = parse_integer(name, word, 0, 10'000); });
  command->add_flag("--verify", own->verify, "check every cell of every halo, before and after; exit code 1 on failure")
      ->disable_flag_override();
  command->callback([&chosen, own] { chosen = [own](Context& context) { return run_exchange(context, *own); }; });
}

}  // namespace cli
