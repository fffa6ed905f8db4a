// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <memory>

#include "commands/commands.hpp"
#include "communication.hpp"
#include "mapping/patterns.hpp"
#include "patterns/run.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;
using mapping::Pattern;
using mapping::PatternRequest;

/// No pattern is an entry, too: only one side then has any.
using Patterns = std::vector<std::optional<Pattern>>;

struct BenchOptions {
  Patterns cpu{mapping::all_patterns.begin(), mapping::all_patterns.end()};
  Patterns gpu = cpu;
  std::int64_t bytes = std::int64_t{1} << 20;
  bool weighted = false;
  bool periodic = false;
  patterns::Repeats repeats;
  std::string communication;
};

Choices<Patterns> pattern_choices() {
  Choices<Patterns> choices;
  for (const Pattern pattern : mapping::all_patterns) choices.emplace_back(to_string(pattern), Patterns{pattern});
  choices.emplace_back("none", Patterns{std::nullopt});
  choices.emplace_back("all", Patterns{mapping::all_patterns.begin(), mapping::all_patterns.end()});
  return choices;
}

/// Weights and wrap-around are of the stencils; groups have neither.
std::optional<PatternRequest> request_of(const std::optional<Pattern>& pattern, const BenchOptions& wanted, int ranks) {
  if (!pattern) return std::nullopt;
  const bool stencil = *pattern != Pattern::alltoall;
  return PatternRequest{*pattern, ranks, wanted.bytes, stencil && wanted.weighted, stencil && wanted.periodic};
}

std::vector<patterns::Case> cases_of(const BenchOptions& wanted, int ranks) {
  std::vector<patterns::Case> cases;
  for (const auto& cpu : wanted.cpu) {
    for (const auto& gpu : wanted.gpu) {
      if (cpu || gpu) cases.push_back({request_of(cpu, wanted, ranks), request_of(gpu, wanted, ranks)});
    }
  }
  if (cases.empty()) refuse_together("--cpu none", "--gpu none");
  return cases;
}

std::string name_of(const std::optional<PatternRequest>& request) {
  return request ? std::string(to_string(request->pattern)) : "none";
}

/// Of one iteration, the CPUs' and the GPUs' part once each.
void write_matrices(Context& context, const BenchOptions& wanted, const std::vector<patterns::Case>& cases) {
  if (wanted.communication.empty()) return;
  if (cases.size() > 1) {
    refuse_without("--communication", "one pattern for --cpu and one for --gpu");
  }
  mapping::Communication communication(context.world.size());
  if (cases[0].cpu) communication.cpu = matrix_of(*cases[0].cpu);
  if (cases[0].gpu) communication.gpu = matrix_of(*cases[0].gpu);
  write_communication_file(context, wanted.communication, communication);
}

Cell time_cell(double seconds) { return seconds > 0 ? seconds_cell(seconds) : Cell("-"); }

int run_patterns(Context& context, const BenchOptions& wanted) {
  const auto cases = cases_of(wanted, context.world.size());
  write_matrices(context, wanted, cases);
  patterns::Runner runner(context);
  Table table({"CPU", "GPU", "CPU alone", "GPU alone", "together"});
  table.same_units();
  Json rows = Json::array();
  for (const auto& one : cases) {
    const auto times = runner.run(one, wanted.repeats);
    table.row(
        {name_of(one.cpu), name_of(one.gpu), time_cell(times.cpu), time_cell(times.gpu), time_cell(times.together)});
    rows.push_back({{"cpu", name_of(one.cpu)},
                    {"gpu", name_of(one.gpu)},
                    {"cpu_s", times.cpu},
                    {"gpu_s", times.gpu},
                    {"together_s", times.together}});
  }
  Json document = document_of("bench patterns");
  document["ranks"] = context.world.size();
  document["bytes"] = wanted.bytes;
  document["weighted"] = wanted.weighted;
  document["periodic"] = wanted.periodic;
  document["repeat"] = wanted.repeats.repeat;
  document["devices"] = runner.devices();
  document["cases"] = rows;
  context.print_document(document);
  context.print_text(
      fmt::format("{}, messages of {}{}{}, {}; seconds an iteration, mean of {}, the slowest rank's\n\n{}",
                  plural(context.world.size(), "rank"), bytes_text(wanted.bytes),
                  wanted.weighted ? ", 3 times that along the first dimension" : "",
                  wanted.periodic ? ", grids wrap around" : "", runner.devices(), wanted.repeats.repeat, table.text()));
  return 0;
}

}  // namespace

void add_bench_command(CLI::App& app, Options& options, Command& chosen) {
  auto* bench = app.add_subcommand("bench", "measure communication on the machine at hand");
  bench->require_subcommand(1);
  add_examples(*bench, {"mpirun -n 2 halocline bench patterns --cpu 2d --gpu none --repeat 5"});
  auto* command = bench->add_subcommand(
      "patterns", "time stencil and all-to-all patterns between CPUs and between GPUs, as MPI calls");
  add_machine_options(*command, options);
  add_output_options(*command, options);
  auto own = std::make_shared<BenchOptions>();
  add_choice(*command, "--cpu", "PATTERN", "between CPUs: 2d, 3d, col, none, or all (default)", own->cpu,
             pattern_choices());
  add_choice(*command, "--gpu", "PATTERN", "between GPUs: 2d, 3d, col, none, or all (default)", own->gpu,
             pattern_choices());
  add_integer(*command, "--bytes", "N", "bytes of a message (default 1048576)", own->bytes, 1, std::int64_t{1} << 29);
  add_integer(*command, "--repeat", "N", "timed iterations (default 20)", own->repeats.repeat, 1, 1'000'000);
  add_integer(*command, "--warm-up", "N", "iterations before the timed ones (default 2)", own->repeats.warm_up, 0,
              1'000'000);
  add_flag(*command, "--weighted", "stencils: 3 times larger messages along the first dimension", own->weighted);
  add_flag(*command, "--periodic", "stencils: periodic grids", own->periodic);
  add_communication_option(*command, "write the matrices of one iteration, as halocline profile writes them",
                           own->communication);
  add_examples(*command, {"mpirun -n 2 halocline bench patterns --cpu 2d --gpu none --repeat 5"});
  command->callback([&chosen, own] { chosen = [own](Context& context) { return run_patterns(context, *own); }; });
}

}  // namespace cli
