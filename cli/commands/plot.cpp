// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <system_error>

#include "comm/agree.hpp"
#include "commands/commands.hpp"
#include "core/posix_file.hpp"
#include "halocline/error.hpp"
#include "io/write_file.hpp"
#include "machine/names.hpp"
#include "machine/paths.hpp"
#include "machine_maps.hpp"
#include "matrix_picture.hpp"
#include "pictures/roofline.hpp"
#include "pictures/study_picture.hpp"
#include "pictures/trace_picture.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;
using machine::Traffic;

constexpr int most_files = 16;

struct PlotOptions {
  std::vector<std::string> files;
  std::string output;
  std::optional<std::int64_t> step;
  std::optional<std::string> method;
  std::optional<Traffic> traffic;
  std::optional<std::int64_t> type;

  [[nodiscard]] std::string drawn_method() const { return method.value_or("copy"); }
  [[nodiscard]] Traffic drawn_traffic() const { return traffic.value_or(Traffic::one_way); }
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
      const Traffic traffic = from == to ? Traffic::one_way : wanted.drawn_traffic();
      const auto* const found = find_measurement(type, from, to, wanted.drawn_method(), traffic);
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
  const std::int64_t number = wanted.type.value_or(0);
  const std::string method = wanted.drawn_method();
  if (number >= std::ssize(map.types)) {
    refuse("--type", fmt::format("{}", number),
           fmt::format("0 to {}, the machine's types of node", std::ssize(map.types) - 1));
  }
  const auto& type = map.types[static_cast<std::size_t>(number)];
  RateMatrix matrix;
  matrix.size = type.device_count();
  matrix.unit = "GB/s";
  const std::set<std::string> methods = methods_of(type);
  std::string what;
  if (methods.empty() && method == "copy" && wanted.drawn_traffic() == Traffic::one_way) {
    what = "nominal";
    matrix.values = nominal_rates(type);
  } else {
    if (methods.empty()) refuse("--method", method, "copy, one way: the map has nominal rates alone, nothing measured");
    if (!methods.contains(method)) {
      refuse("--method", method, fmt::format("one of {}", fmt::join(methods, ", ")));
    }
    what = fmt::format("{}, {}", method, words_of(wanted.drawn_traffic()));
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

/// What was drawn.
struct Drawn {
  std::string svg;
  std::string title;
  Json about;
};

Drawn draw_matrix(const PlotOptions& wanted) {
  const RateMatrix matrix = matrix_of(read_machine(wanted.files.front()), wanted);
  return {svg_of(matrix),
          fmt::format("{}, {} x {}", matrix.title, matrix.size, matrix.size),
          {{"title", matrix.title}, {"devices", matrix.size}}};
}

/// The content of a file; empty if it cannot be read, such as the name of a machine that comes with Halocline.
std::string content_of(const std::string& path) {
  try {
    return read_file(path);
  } catch (const std::system_error&) {
    return {};
  }
}

bool is_csv(const std::string& path) { return std::filesystem::path(path).extension() == ".csv"; }

std::vector<CsvRow> rows_of(const std::string& path) {
  const std::string text = content_of(path);
  if (text.empty()) refuse("FILE", path, "a file that can be read, and is not empty");
  return read_csv(text, path);
}

/// Measured ceilings, or a machine map, and beside them what is drawn below them.
bool is_roofline(const PlotOptions& wanted) {
  return std::ranges::any_of(wanted.files, [&](const std::string& path) {
    return is_csv(path) ? are_ceilings(rows_of(path)) : wanted.files.size() > 1;
  });
}

Drawn draw_roofline(const PlotOptions& wanted) {
  Roofline roofline;
  for (const std::string& path : wanted.files) {
    if (is_csv(path)) {
      roofline.add(rows_of(path), path);
      continue;
    }
    const Json document = io::parse_document_or_null(content_of(path));
    if (document.contains("traceEvents")) refuse("FILE", path, "no trace beside other files");
    if (document.contains("command")) {
      roofline.add(document, path);
    } else {
      roofline.add(read_machine(path));
    }
  }
  const Chart chart = roofline.chart();
  const std::string title = "roofline of " + plural(std::ssize(wanted.files), "file");
  Json all = Json::array();
  for (const Series& series : chart.series) {
    const double highest = std::ranges::max(series.values, {}, &Value::y).y;
    all.push_back({{"name", series.name}, {"ceiling", series.dashed}, {"highest_gb_per_s", highest}});
  }
  return {svg_of({&chart, 1}), title, {{"title", title}, {"series", std::move(all)}}};
}

Drawn draw_charts(const PlotOptions& wanted) {
  std::vector<CsvRow> rows;
  for (const std::string& path : wanted.files) std::ranges::move(rows_of(path), std::back_inserter(rows));
  const std::vector<Chart> charts = charts_of(rows);
  const std::string title = plural(std::ssize(charts), "chart");
  Json titles = Json::array();
  for (const Chart& chart : charts) titles.push_back(chart.title);
  return {svg_of(charts), title, {{"title", title}, {"charts", titles}}};
}

/// What is drawn of one kind of file alone.
void refuse_options_of_traces(const PlotOptions& wanted) {
  if (wanted.step) refuse_without("--step", "a trace");
}
void refuse_options_of_maps(const PlotOptions& wanted) {
  const char* const needed = "a machine map alone";
  if (wanted.method) refuse_without("--method", needed);
  if (wanted.traffic) refuse_without("--traffic", needed);
  if (wanted.type) refuse_without("--type", needed);
}

/// By what the files are.
Drawn draw(const PlotOptions& wanted) {
  const std::string& first = wanted.files.front();
  const bool roofline = is_roofline(wanted);
  if (roofline || is_csv(first)) {
    refuse_options_of_traces(wanted);
    refuse_options_of_maps(wanted);
    return roofline ? draw_roofline(wanted) : draw_charts(wanted);
  }
  const std::string text = content_of(first);
  const Json document = io::parse_document_or_null(text);
  if (!document.contains("traceEvents")) {
    refuse_options_of_traces(wanted);
    return draw_matrix(wanted);
  }
  refuse_options_of_maps(wanted);
  const std::string name = std::filesystem::path(first).filename().string();
  return {timeline_svg(document, wanted.step, name), "timeline of " + name, {{"title", "timeline of " + name}}};
}

int run_plot(Context& context, PlotOptions wanted) {
  Drawn drawn;
  comm::agree_on(context.world, [&] {
    if (wanted.files.empty()) {
      refuse_without(
          "'halocline plot'",
          "FILE: a machine map, as 'halocline machine --measure --json' writes it, a trace, or CSV files of studies");
    }
    if (wanted.output.empty()) {
      wanted.output = std::filesystem::path(wanted.files.front()).replace_extension(".svg").string();
    }
    for (const std::string& file : wanted.files) {
      if (is_one_file(wanted.output, file)) refuse("--output", wanted.output, "another file than the map");
    }
    if (!context.root()) return;
    drawn = draw(wanted);
    io::write_file("--output", wanted.output, drawn.svg);
  });
  Json document = document_of("plot");
  document["picture"] = wanted.output;
  document.update(drawn.about);
  context.print_document(document);
  context.print_text(fmt::format("{}: {}\n", wanted.output, drawn.title));
  return 0;
}

}  // namespace

void add_plot_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command =
      app.add_subcommand("plot", "draw a machine map's rates, a trace, results of studies, or a roofline (SVG)");
  auto own = std::make_shared<PlotOptions>();
  add_words(
      *command, "FILE", "", most_files,
      "a machine map, as 'halocline machine --measure --json' writes it; a trace of 'halocline exchange --trace'; or "
      "CSV files of 'simulate --study', 'run mhd --study', 'bench links' and of bench/, several for one chart; results "
      "beside the ceilings of bench_ceilings or of a measured machine map give a roofline",
      [own](const auto&, const Words& words) { own->files.assign(words.begin(), words.end()); });
  add_text(*command, "-o,--output", "SVG", "the picture (default: the first file's name with .svg)", own->output);
  add_integer(*command, "--step", "N", "exchange of a trace (default: its last)", own->step, 1);
  add_text(*command, "--method", "NAME", "measured method to draw (default copy; without measurements, nominal rates)",
           own->method);
  add_choice(*command, "--traffic", "NAME", "one_way (default), two_way, or all_pairs", own->traffic,
             choices_of(machine::all_traffic));
  add_integer(*command, "--type", "N", "node type of the machine (default 0)", own->type, 0, 1'000'000);
  add_output_options(*command, options);
  add_examples(*command,
               {"halocline machine --machine dgx-h200 --json > map.json", "halocline plot map.json --output map.svg",
                "halocline exchange --devices 4 --trace trace.json", "halocline plot trace.json"});
  command->callback([&chosen, own] { chosen = [own](Context& context) { return run_plot(context, *own); }; });
}

}  // namespace cli
