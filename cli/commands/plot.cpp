// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>

#include "comm/agree.hpp"
#include "commands/commands.hpp"
#include "halocline/error.hpp"
#include "io/write_file.hpp"
#include "machine/names.hpp"
#include "machine/paths.hpp"
#include "machine_maps.hpp"
#include "matrix_picture.hpp"

namespace cli {
namespace {

using namespace halocline;
using machine::Traffic;

struct PlotOptions {
  std::string file;
  std::string output;
  std::string method = "copy";
  Traffic traffic = Traffic::one_way;
  std::int64_t type = 0;
};

std::string words_of(Traffic traffic) {
  switch (traffic) {
    case Traffic::one_way: return "one way";
    case Traffic::two_way: return "each of two ways";
    case Traffic::all_pairs: return "all pairs at once";
  }
  throw InternalError("a Traffic without words");
}

/// The methods between devices that a type has rates of.
std::set<std::string> methods_of(const machine::NodeType& type) {
  std::set<std::string> methods;
  for (const auto& m : type.measurements) {
    if (m.from != machine::Measurement::host && m.to != machine::Measurement::host) methods.insert(m.method);
  }
  return methods;
}

/// GB/s of each ordered pair; NaN where there is none.
std::vector<double> measured_rates(const machine::NodeType& type, const PlotOptions& wanted) {
  const int devices = type.device_count();
  std::vector<double> rates;
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      // Within a device there is one way only.
      const Traffic traffic = from == to ? Traffic::one_way : wanted.traffic;
      const auto* const found = find_measurement(type, from, to, wanted.method, traffic);
      rates.push_back(found == nullptr ? std::numeric_limits<double>::quiet_NaN() : found->bandwidth / 1e9);
    }
  }
  return rates;
}

std::vector<double> nominal_rates(const machine::NodeType& type) {
  std::vector<double> rates;
  for (const auto& path : best_paths(type)) {
    rates.push_back(std::isfinite(path.bandwidth) ? path.bandwidth / 1e9 : std::numeric_limits<double>::quiet_NaN());
  }
  return rates;
}

RateMatrix matrix_of(const machine::MachineMap& map, const PlotOptions& wanted) {
  if (wanted.type >= std::ssize(map.types)) {
    refuse("--type", fmt::format("{}", wanted.type),
           fmt::format("0 to {}, the machine's types of node", std::ssize(map.types) - 1));
  }
  const auto& type = map.types[static_cast<std::size_t>(wanted.type)];
  RateMatrix matrix;
  matrix.size = type.device_count();
  matrix.unit = "GB/s";
  const std::set<std::string> methods = methods_of(type);
  std::string what;
  if (methods.empty() && wanted.method == "copy" && wanted.traffic == Traffic::one_way) {
    what = "nominal";
    matrix.values = nominal_rates(type);
  } else {
    if (methods.empty())
      refuse("--method", wanted.method, "copy, one way: the map has nominal rates alone, nothing measured");
    if (!methods.contains(wanted.method)) {
      refuse("--method", wanted.method, fmt::format("one of {}", fmt::join(methods, ", ")));
    }
    what = fmt::format("{}, {}", wanted.method, words_of(wanted.traffic));
    matrix.values = measured_rates(type, wanted);
  }
  matrix.title = fmt::format("{}: {}", map.name, what);
  return matrix;
}

/// Whatever their names are.
bool is_one_file(const std::string& one, const std::string& other) {
  std::error_code absent;
  return one == other || std::filesystem::equivalent(one, other, absent);
}

int run_plot(Context& context, PlotOptions wanted) {
  RateMatrix matrix;
  comm::agree_on(context.world, [&] {
    if (wanted.file.empty()) {
      refuse_without("'halocline plot'", "FILE: a machine map, as 'halocline machine --measure --json' writes it");
    }
    if (wanted.output.empty()) wanted.output = std::filesystem::path(wanted.file).replace_extension(".svg").string();
    if (is_one_file(wanted.output, wanted.file)) refuse("--output", wanted.output, "another file than the map");
    if (!context.root()) return;
    matrix = matrix_of(read_machine(wanted.file), wanted);
    io::write_file("--output", wanted.output, svg_of(matrix));
  });
  Json document = document_of("plot");
  document["picture"] = wanted.output;
  document["title"] = matrix.title;
  document["devices"] = matrix.size;
  context.print_document(document);
  context.print_text(fmt::format("{}: {}, {} x {}\n", wanted.output, matrix.title, matrix.size, matrix.size));
  return 0;
}

}  // namespace

void add_plot_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand("plot", "draw the bandwidths between the devices of a machine map (SVG)");
  auto own = std::make_shared<PlotOptions>();
  add_text(*command, "FILE", "", "a machine map, as 'halocline machine --measure --json' writes it", own->file);
  add_text(*command, "-o,--output", "SVG", "the picture (default: the map's name with .svg)", own->output);
  add_text(*command, "--method", "NAME", "measured method to draw (default copy; without measurements, nominal rates)",
           own->method);
  add_choice(*command, "--traffic", "NAME", "one_way (default), two_way, or all_pairs", own->traffic,
             choices_of(machine::all_traffic));
  add_integer(*command, "--type", "N", "node type of the machine (default 0)", own->type, 0, 1'000'000);
  add_output_options(*command, options);
  add_examples(*command,
               {"halocline machine --machine dgx-h200 --json > map.json", "halocline plot map.json --output map.svg"});
  command->callback([&chosen, own] { chosen = [own](Context& context) { return run_plot(context, *own); }; });
}

}  // namespace cli
