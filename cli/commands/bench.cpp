// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "comm/agree.hpp"
#include "commands/commands.hpp"
#include "communication.hpp"
#include "documents.hpp"
#include "io/update_file.hpp"
#include "link_sweep.hpp"
#include "mapping/patterns.hpp"
#include "outputs.hpp"
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

struct LinkOptions {
  std::vector<std::int64_t> sizes;
  double seconds = 120;
  std::optional<std::string> csv;
  bool go_on = false;
};

/// 4 B to 256 MiB, times four.
std::vector<std::int64_t> sizes_of_links() {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 4; size <= std::int64_t{256} << 20; size *= 4) sizes.push_back(size);
  return sizes;
}

constexpr std::size_t most_bytes_of_links = std::size_t{64} << 20;

/// The rows of a file that an earlier run wrote; none without such a file. The same on all ranks.
std::optional<LinkTable> rows_before(Context& context, const LinkOptions& wanted) {
  std::vector<std::byte> bytes;
  comm::agree_on(context.world, [&] {
    if (!context.root()) return;
    const std::string text = io::content_if_there("--csv", *wanted.csv, most_bytes_of_links).value_or("");
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    bytes.assign(first, first + text.size());
  });
  context.world.broadcast(bytes, rank_id(0));
  if (bytes.empty()) return std::nullopt;
  return link_table_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, *wanted.csv);
}

/// The best rate of each method, direction and size.
std::string links_table(const LinkTable& links) {
  std::vector<std::string> header{"bytes"};
  std::map<std::int64_t, std::map<std::string, double>> best;
  for (const LinkRow& row : links.rows) {
    if (row.traffic != "one_way") continue;
    const std::string end = row.from == "host" ? " to" : row.to == "host" ? " from" : row.from == row.to ? " own" : "";
    const std::string name = row.method + end;
    if (std::ranges::find(header, name) == header.end()) header.push_back(name);
    double& value = best[row.size][name];
    value = std::max(value, row.gigabytes_per_second);
  }
  std::string text;
  constexpr std::size_t columns = 7;
  for (std::size_t first = 1; first < header.size(); first += columns) {
    std::vector<std::string> part{header[0]};
    for (std::size_t c = first; c < std::min(first + columns, header.size()); ++c) part.push_back(header[c]);
    Table table(part);
    for (const auto& [size, rates] : best) {
      std::vector<Cell> cells{fmt::format("{}", size)};
      for (std::size_t c = 1; c < part.size(); ++c) {
        const auto rate = rates.find(part[c]);
        cells.emplace_back(rate == rates.end() ? "-" : fmt::format("{:.3g}", rate->second));
      }
      table.row(std::move(cells));
    }
    text += "\n" + table.text();
  }
  return text;
}

int run_links(Context& context, const LinkOptions& wanted) {
  if (context.options.elsewhere()) {
    refuse_together("bench links", "--machine or --nodes: only the machine at hand can be measured");
  }
  std::optional<LinkTable> before;
  if (wanted.csv) {
    check_output(context, "--csv", *wanted.csv);
    if (wanted.go_on) before = rows_before(context, wanted);
  }
  const LinkSweep sweep{wanted.sizes.empty() ? sizes_of_links() : wanted.sizes, wanted.seconds};
  const SweptLinks found = sweep_links(context, sweep, std::move(before), [&](const LinkTable& table) {
    if (wanted.csv) write_output(context, "--csv", *wanted.csv, csv_of(table));
  });
  const LinkTable& links = found.table;
  Json document = document_of("bench links");
  document["node"] = links.source.node;
  document["backend"] = links.source.backend;
  document["ranks"] = links.source.ranks;
  document["devices"] = links.source.devices;
  document["missing_sizes"] = found.missing;
  document["rows"] = Json::array();
  for (const LinkRow& row : links.rows) {
    document["rows"].push_back({{"size", row.size},
                                {"bytes", row.bytes},
                                {"method", row.method},
                                {"traffic", row.traffic},
                                {"from", row.from},
                                {"to", row.to},
                                {"numa", row.numa},
                                {"seconds", row.seconds},
                                {"gb_per_s", row.gigabytes_per_second}});
  }
  document["left_out"] = Json::array();
  std::set<std::pair<std::string, std::string>> reasons;
  for (const auto& left_out : found.left_out) reasons.emplace(left_out.method, left_out.reason);
  for (const auto& [method, reason] : reasons) document["left_out"].push_back({{"method", method}, {"reason", reason}});
  context.print_document(document);
  std::string text =
      fmt::format("{}: {}, {}; GB/s one way, the fastest pair's\n{}", links.source.node,
                  plural(links.source.ranks, "rank"), plural(links.source.devices, "device"), links_table(links));
  if (!reasons.empty()) text += "\n";
  for (const auto& [method, reason] : reasons) text += fmt::format("not measured: {}: {}\n", method, reason);
  if (!found.missing.empty()) {
    text += fmt::format("\nno time for {}; --resume with --csv goes on\n", plural(std::ssize(found.missing), "size"));
  }
  context.print_text(text);
  return 0;
}

void add_links_command(CLI::App& bench, Options& options, Command& chosen) {
  auto* command =
      bench.add_subcommand("links", "measure bandwidth of each method and direction by size of the messages");
  add_machine_options(*command, options);
  add_output_options(*command, options);
  auto own = std::make_shared<LinkOptions>();
  add_integers(*command, "--sizes", "BYTES ...", 64, "sizes, multiples of 4 (default: 4 to 268435456, times 4)",
               own->sizes, 4, std::int64_t{1} << 32);
  add_positive(*command, "--seconds", "S", "start no measurement after this time (default 120)", own->seconds, 1e6);
  add_text(*command, "--csv", "FILE", "write a line for each method, direction and size, after each size", own->csv);
  add_flag(*command, "--resume", "keep the sizes that --csv has, and measure the others", own->go_on);
  add_examples(*command, {"halocline bench links --devices 2 --sizes 4096 65536 --csv links.csv"});
  command->callback([&chosen, own] {
    if (own->go_on && !own->csv) refuse_without("--resume", "--csv");
    for (const std::int64_t size : own->sizes) {
      if (size % 4 != 0) refuse("--sizes", fmt::format("{}", size), "a multiple of 4");
    }
    chosen = [own](Context& context) { return run_links(context, *own); };
  });
}

}  // namespace

void add_bench_command(CLI::App& app, Options& options, Command& chosen) {
  auto* bench = app.add_subcommand("bench", "measure communication on the machine at hand");
  bench->require_subcommand(1);
  add_examples(*bench, {"mpirun -n 2 halocline bench patterns --cpu 2d --gpu none --repeat 5"});
  add_links_command(*bench, options, chosen);
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
