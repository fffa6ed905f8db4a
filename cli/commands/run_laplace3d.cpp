// `halocline run laplace3d`: schemes of communication on one problem, compared.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/run.hpp"
#include "documents.hpp"
#include "halocline/core/error.hpp"
#include "laplace3d/comparison.hpp"
#include "planning.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;

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

std::string table_text(const std::vector<laplace3d::Row>& rows) {
  Table table({"size", "scheme", "devices", "a step", "GFLOP/s", "/ 1 device", "/ left-right", "check", ""});
  for (const auto& row : rows) {
    table.row({to_string(row.size), std::string(to_string(row.scheme)), fmt::format("{}", row.devices),
               seconds_text(laplace3d::median_of(row.step_s)), fmt::format("{:.2f}", row.gflops),
               times_text(over_one_device(row, rows)), times_text(over_left_right(row, rows)),
               !row.check            ? "-"
               : row.check->passed() ? "passed"
                                     : fmt::format("FAILED: {} cells", row.check->different),
               row.detail});
  }
  return table.text();
}

Json row_json(const laplace3d::Row& row, const std::vector<laplace3d::Row>& rows) {
  Json json{{"size", json_of(row.size)}, {"devices", row.devices}, {"scheme", to_string(row.scheme)},
            {"detail", row.detail},      {"step_s", row.step_s},   {"gflops", row.gflops}};
  const auto add = [&json](const char* key, const std::optional<double>& value) {
    if (value) json[key] = *value;
  };
  add("over_one_device", over_one_device(row, rows));
  add("over_left_right", over_left_right(row, rows));
  if (row.check) {
    json["check"] = {{"passed", row.check->passed()}, {"cells", row.check->cells}, {"different", row.check->different}};
  }
  return json;
}

/// One line a row and round. Rank 0 alone writes.
void write_csv(const std::string& path, const laplace3d::Comparison& what, const std::vector<laplace3d::Row>& rows,
               const char* precision) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) throw ResourceError(fmt::format("cannot write {}", path));
  fmt::print(file,
             "x,y,z,stencil,precision,halo_multiplier,devices,scheme,detail,steps,round,step_s,gflops_median,"
             "over_one_device,over_left_right,check\n");
  for (const auto& row : rows) {
    for (std::size_t round = 0; round < row.step_s.size(); ++round) {
      fmt::print(file, "{},{},{},{},{},{},{},{},\"{}\",{},{},{:.9f},{:.4f},{},{},{}\n", row.size.x, row.size.y,
                 row.size.z, static_cast<int>(what.stencil), precision, what.options.halo_multiplier, row.devices,
                 to_string(row.scheme), row.detail, what.steps, round, row.step_s[round], row.gflops,
                 times_text(over_one_device(row, rows)), times_text(over_left_right(row, rows)),
                 !row.check            ? ""
                 : row.check->passed() ? "passed"
                                       : "failed");
    }
  }
  if (std::fclose(file) != 0) throw ResourceError(fmt::format("cannot write {}", path));
}

/// The flags put together; what contradicts is refused.
void resolve(const Options& options, LaplaceOptions& own) {
  auto& what = own.what;
  what.stencil = own.stencil.value_or(laplace3d::Stencil::points7);
  what.coefficients = default_coefficients(what.stencil);
  if (own.gamma && what.stencil == laplace3d::Stencil::points7) {
    refuse("--gamma", fmt::format("{}", *own.gamma), "a number together with --stencil 19");
  }
  what.coefficients.alpha = own.alpha.value_or(what.coefficients.alpha);
  what.coefficients.beta = own.beta.value_or(what.coefficients.beta);
  what.coefficients.gamma = own.gamma.value_or(what.coefficients.gamma);
  if (what.sizes.empty()) what.sizes = {options.size};
  if (own.compare && !what.schemes.empty()) refuse("--scheme", "given", "either --scheme or --compare, not both");
  if (own.compare) what.schemes.assign(laplace3d::all_schemes.begin(), laplace3d::all_schemes.end());
  if (what.schemes.empty()) what.schemes = {laplace3d::SchemeKind::halocline};
  if (options.node_grid || options.device_grid || options.partition) {
    refuse("--partition", "given", "nothing: laplace3d cuts in z, a slab a device");
  }
}

template <typename T>
int run_laplace(Context& context, LaplaceOptions own) {
  comm::agree_on(context.world, [&] { resolve(context.options, own); });
  auto& what = own.what;
  what.options = domain_options(context);
  what.options.halo_multiplier = context.options.halo_multiplier;
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
  context.print_text(table_text(rows));
  const char* precision = sizeof(T) == sizeof(double) ? "f64" : "f32";
  comm::agree_on(context.world, [&] {
    if (own.csv && context.root()) write_csv(*own.csv, what, rows, precision);
  });

  Json document = document_of("run laplace3d");
  document["stencil"] = static_cast<int>(what.stencil);
  document["coefficients"] = {
      {"alpha", what.coefficients.alpha}, {"beta", what.coefficients.beta}, {"gamma", what.coefficients.gamma}};
  document["precision"] = precision;
  document["halo_multiplier"] = what.options.halo_multiplier;
  document["steps"] = what.steps;
  document["rounds"] = what.rounds;
  document["rows"] = Json::array();
  for (const auto& row : rows) document["rows"].push_back(row_json(row, rows));
  context.print_document(document);
  const bool passed =
      std::all_of(rows.begin(), rows.end(), [](const auto& row) { return !row.check || row.check->passed(); });
  return passed ? 0 : 1;
}

void add_problem_options(CLI::App& command, LaplaceOptions& own) {
  const std::string group = "Laplace";
  add_words(command, "--sizes", "N ...", 64, "edges of cubes of inner points, one after the other, instead of --size",
            [&own](const auto& name, const auto& words) {
              own.what.sizes.clear();
              for (const auto& word : split_at_commas(words)) {
                own.what.sizes.push_back(Vec3::filled(parse_integer(name, word, 1, 1 << 16)));
              }
            })
      ->group(group);
  add_word(command, "--stencil", "POINTS", "7 (default) or 19", [&own](const auto& name, const auto& word) {
    own.stencil =
        parse_choice(name, word, {"7", "19"}) == 1 ? laplace3d::Stencil::points19 : laplace3d::Stencil::points7;
  })->group(group);
  const auto add_coefficient = [&](const char* flag, const char* meaning, std::optional<double>& target) {
    add_word(command, flag, "A", meaning, [&target](const auto& name, const auto& word) {
      target = parse_positive(name, word, 1);
    })->group(group);
  };
  add_coefficient("--alpha", "the cell's weight (default 0.4; 0.2 with 19 points)", own.alpha);
  add_coefficient("--beta", "that of neighbours by faces (default 0.1; 1/15)", own.beta);
  add_coefficient("--gamma", "that of neighbours by edges (19 points; default 1/30)", own.gamma);
  add_word(command, "--precision", "TYPE", "f64 (default) or f32", [&own](const auto& name, const auto& word) {
    own.singles = parse_choice(name, word, {"f64", "f32"}) == 1;
  })->group(group);
}

void add_laplace_options(CLI::App& command, Options& options, LaplaceOptions& own) {
  const std::string group = "Laplace";
  add_words(command, "--scheme", "NAME ...", 6,
            "baseline, left-right, pairwise, threads, threads+p2p, halocline (default); several are compared",
            [&own](const auto& name, const auto& words) {
              own.what.schemes.clear();
              for (const auto& word : split_at_commas(words)) {
                const auto& all = laplace3d::all_schemes;
                std::vector<std::string> names;
                for (const auto kind : all) names.emplace_back(to_string(kind));
                own.what.schemes.push_back(all[parse_choice(name, word, names)]);
              }
            })
      ->group(group);
  add_word(command, "--order", "ORDER",
           "halocline: exchange-first, sides-last, sides-beside or stored, instead of the fastest of a trial",
           [&own](const auto& name, const auto& word) {
             const std::vector<std::string> orders{"exchange-first", "sides-last", "sides-beside", "stored"};
             own.what.own = {laplace3d::all_own_orders[parse_choice(name, word, orders)], true};
           })
      ->group(group);
  command.add_flag("--compare", own.compare, "all schemes, in turns")->disable_flag_override()->group(group);
  add_words(command, "--device-counts", "D ...", 16,
            "numbers of devices of each rank, one after the other, instead of --devices",
            [&own](const auto& name, const auto& words) {
              own.what.devices.clear();
              for (const auto& word : split_at_commas(words)) {
                own.what.devices.emplace_back(static_cast<int>(parse_integer(name, word, 1, 64)));
              }
            })
      ->group(group);
  add_word(command, "--steps", "N", "steps of a round (default 100)", [&own](const auto& name, const auto& word) {
    own.what.steps = parse_integer(name, word, 1, std::int64_t{1} << 40);
  })->group(group);
  add_word(command, "--rounds", "N", "rounds; the median counts (default 5)",
           [&own](const auto& name, const auto& word) {
             own.what.rounds = static_cast<int>(parse_integer(name, word, 1, 10'000));
           })
      ->group(group);
  add_word(command, "--halo-multiplier", "K", "exchange ghost regions of K planes once in K steps (default 1)",
           [&options](const auto& name, const auto& word) {
             options.halo_multiplier = static_cast<int>(parse_integer(name, word, 1, most_halo_multiplier));
           })
      ->group(group);
  command
      .add_flag("--check", own.what.check,
                "compare each scheme with a serial solution, bit for bit; exit code 1 where they differ")
      ->disable_flag_override()
      ->group(group);
  add_word(command, "--csv", "FILE", "write a line a round", [&own](const auto&, const auto& word) {
    own.csv = word;
  })->group(group);
}

}  // namespace

void add_run_laplace3d(CLI::App& run, Options& options, Command& chosen) {
  auto* laplace = run.add_subcommand("laplace3d", "7-point Laplace in slabs: schemes of communication, compared");
  add_size_option(*laplace, options);
  add_machine_options(*laplace, options);
  add_decision_options(*laplace, options);
  add_output_options(*laplace, options);
  auto own = std::make_shared<LaplaceOptions>();
  add_problem_options(*laplace, *own);
  add_laplace_options(*laplace, options, *own);
  laplace->callback([&chosen, own] {
    chosen = [own](Context& context) {
      return own->singles ? run_laplace<float>(context, *own) : run_laplace<double>(context, *own);
    };
  });
}

}  // namespace cli
