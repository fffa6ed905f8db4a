// SPDX-License-Identifier: BSD-3-Clause
#include "pictures/study_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <set>

#include "core/printable.hpp"
#include "halocline/error.hpp"
#include "pictures/baseline_picture.hpp"
#include "pictures/collected.hpp"
#include "pictures/prediction_picture.hpp"

namespace cli {
namespace {

using halocline::InvalidArgument;
using halocline::printable;
using CsvRows = std::vector<CsvRow>;

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool doubled = quoted && i + 1 < line.size() && line[i] == '"' && line[i + 1] == '"';
    if (line[i] == '"' && !doubled) {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else if (line[i] != '\r') {
      fields.back() += line[i];
      if (doubled) ++i;
    }
  }
  return fields;
}

using Name = std::function<std::string(const CsvRow&)>;
using Measure = std::function<double(const CsvRow&)>;

// Exchanges: bench_study, and `halocline simulate --study`.

double csv_gpus(const CsvRow& row) { return csv_number(row, "nodes") * csv_number(row, "gpus_per_node"); }

Chart exchanges(const CsvRows& rows, std::string title, bool curves) {
  Chart chart{std::move(title), curves ? "GPUs" : "", "exchange (us)", {}, {}, curves, true, {}};
  const auto simulated = [](const CsvRow& row) { return row.at("device") == "simulated"; };
  const auto count = std::ranges::count_if(rows, simulated);
  const bool both = count > 0 && count < std::ssize(rows);
  Collected found;
  if (both) found.simulated_beside_measured();
  for (const CsvRow& row : rows) {
    double x = curves ? csv_gpus(row) : 0;
    if (!curves) {
      auto place = std::ranges::find(chart.categories, row.at("label"));
      if (place == chart.categories.end()) place = chart.categories.insert(place, row.at("label"));
      x = static_cast<double>(place - chart.categories.begin());
    }
    const bool longer = curves && row.at("label").ends_with("/ca");
    found.add(row.at("config") + (longer ? ", CUDA-aware MPI" : ""), both && simulated(row), x,
              1e6 * csv_number(row, "median_s"));
  }
  chart.series = found.series();
  if (curves) chart.x_ticks = all_x(chart.series);
  if (count == std::ssize(rows)) chart.title += ", simulated";
  return chart;
}

std::vector<Chart> exchange_charts(const CsvRows& rows) {
  std::map<std::string, CsvRows> curves;  // weak cubes grow with the GPUs, so that `kind` tells the rules apart
  std::vector<std::pair<std::string, CsvRows>> bars;
  CsvRows baselines;
  for (const CsvRow& row : rows) {
    const std::string& study = row.at("study");
    if (study == "weak" || study == "strong") {
      curves[study == "strong" || row.at("kind") != "block"
                 ? study + " scaling"
                 : fmt::format("weak scaling, {}^3 cells a GPU", row.at("size"))]
          .push_back(row);
      continue;
    }
    if (study == "baseline") {
      baselines.push_back(row);
      continue;
    }
    auto place = std::ranges::find(bars, study, &std::pair<std::string, CsvRows>::first);
    if (place == bars.end()) place = bars.insert(place, {study, {}});
    place->second.push_back(row);
  }
  std::vector<Chart> charts = baseline_charts(baselines);
  for (const auto& [name, of] : bars) charts.push_back(exchanges(of, name, false));
  for (const auto& [name, of] : curves) charts.push_back(exchanges(of, name, true));
  return charts;
}

// Steps of mhd: `halocline run mhd --study`.

std::string csv_size(const CsvRow& row) {
  const auto& [x, y, z] = std::tie(row.at("x"), row.at("y"), row.at("z"));
  return x == y && y == z ? x + "^3" : fmt::format("{} x {} x {}", x, y, z);
}

Chart over_devices(const CsvRows& rows, std::string title, std::string y_label, bool log_y, const Name& name,
                   const std::string& column, double scale, const std::string& predicted = "") {
  Chart chart{std::move(title), "devices", std::move(y_label), {}, {}, true, log_y, {}};
  Collected found;
  for (const CsvRow& row : rows) {
    if (row.at("kind") != "devices") continue;
    if (!row.at(column).empty())
      found.add(name(row), false, csv_number(row, "devices"), scale * csv_number(row, column));
    if (!predicted.empty() && !row.at(predicted).empty()) {
      found.add(name(row), true, csv_number(row, "devices"), scale * csv_number(row, predicted));
    }
  }
  chart.series = found.series();
  chart.x_ticks = all_x(chart.series);
  return chart;
}

Chart mhd_parts(const CsvRows& rows) {
  Chart chart{
      "mhd: the parts of a step, each alone, " + csv_size(rows.front()), "devices", "ms", {}, {}, true, true, {}};
  Collected found;
  for (const auto& [name, column] :
       {std::pair{"step", "step_s"}, std::pair{"computation", "compute_s"}, std::pair{"exchange", "exchange_s"},
        std::pair{"synchronisation", "synchronisation_s"}}) {
    for (const CsvRow& row : rows) {
      const bool corners = row.at("corners") == "1";
      if (row.at("kind") != "devices" || (corners && std::string_view(name) != "exchange")) continue;
      found.add(std::string(name) + (corners ? " with corners" : ""), false, csv_number(row, "devices"),
                1e3 * csv_number(row, column));
    }
  }
  chart.series = found.series();
  chart.x_ticks = all_x(chart.series);
  return chart;
}

std::vector<Chart> mhd_charts(const CsvRows& rows) {
  std::map<std::string, CsvRows> studies;
  for (const CsvRow& row : rows) studies[row.at("study")].push_back(row);
  std::vector<Chart> charts;
  for (const auto& [study, of] : studies) {
    std::map<std::string, std::string> sizes;  // of a series: of its first row, on the fewest devices
    for (const CsvRow& row : of) sizes.emplace(row.at("series"), csv_size(row));
    if (study == "weak") {
      charts.push_back(over_devices(
          of, "mhd: weak scaling", "ms a step", false,
          [&](const CsvRow& row) { return sizes[row.at("series")] + " a device"; }, "step_s", 1e3));
    } else if (study == "parts") {
      charts.push_back(mhd_parts(of));
    } else {
      const Name name =
          study == "orders" ? Name([](const CsvRow& row) { return "order " + row.at("order"); }) : Name(csv_size);
      charts.push_back(over_devices(of, fmt::format("mhd: {}", study), "ns a cell and step", true, name, "ns_per_cell",
                                    1, "model_ns_per_cell"));
    }
    if (study != "strong" && study != "backends") continue;
    Chart power = over_devices(
        of, "mhd: energy efficiency", "million cell updates a second a watt", false,
        [](const CsvRow& row) { return csv_size(row) + ", power " + row.at("power_source"); }, "updates_per_s_per_w",
        1e-6);
    if (!power.series.empty()) charts.push_back(std::move(power));
  }
  return charts;
}

/// Packing by several methods: bench_pack.
std::vector<Chart> pack_charts(const CsvRows& rows) {
  std::map<std::string, Chart> charts;
  std::map<std::string, Collected> found;
  for (const CsvRow& row : rows) {
    if (row.at("element") != "f32") continue;
    Chart& chart = charts[row.at("block")];
    if (chart.title.empty()) {
      chart = {fmt::format("packing, {}^3 cells, f32, radius {}", row.at("block"), row.at("radius")),
               "",
               "GB/s of halo",
               {},
               {},
               false,
               false,
               {}};
    }
    auto place = std::ranges::find(chart.categories, row.at("method"));
    if (place == chart.categories.end()) place = chart.categories.insert(place, row.at("method"));
    const std::string& direction = row.at("direction");
    found[row.at("block")].add(direction == "all" ? "all directions" : "towards " + direction, false,
                               static_cast<double>(place - chart.categories.begin()), csv_number(row, "gb_per_s"));
  }
  std::vector<Chart> all;
  for (auto& [block, chart] : charts) {
    chart.series = found[block].series();
    all.push_back(std::move(chart));
  }
  return all;
}

/// Bandwidth by size of messages: `halocline bench links`. One chart for the traffic of devices, and one for that with the host.
std::vector<Chart> link_charts(const CsvRows& rows) {
  std::map<std::pair<bool, std::string>, Collected> found;
  for (const CsvRow& row : rows) {
    const bool to_device = row.at("from") == "host";
    const bool from_device = row.at("to") == "host";
    std::string name = row.at("method");
    if (to_device || from_device) {
      name += to_device ? ", to the device" : ", from the device";
      if (row.at("numa") != "-1") name += ", memory " + row.at("numa");
    } else if (row.at("from") == row.at("to")) {
      name += " within a device";
    }
    found[{to_device || from_device, row.at("traffic")}].add(name, false, csv_number(row, "bytes"),
                                                             csv_number(row, "gb_per_s"));
  }
  std::vector<Chart> charts;
  for (const auto& [of, collected] : found) {
    const auto& [host, traffic] = of;
    const std::string words = traffic == "one_way"   ? "one way"
                              : traffic == "two_way" ? "each of two ways"
                                                     : "each of all at once";
    Chart chart{fmt::format("{}: {}", host ? "with the host" : "between devices", words),
                "bytes of a message",
                "GB/s",
                {},
                {},
                true,
                true,
                collected.series()};
    chart.x_ticks = all_x(chart.series);
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace

/// Of numbers that can be drawn; so that quotients of two of them, too, are finite.
double csv_number(const CsvRow& row, const std::string& column) {
  constexpr double most = 1e18;
  const std::string& text = row.at(column);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool fits = value == 0 || (std::abs(value) >= 1 / most && std::abs(value) <= most);
  if (!text.empty() && end == text.c_str() + text.size() && fits) return value;
  throw InvalidArgument(fmt::format("column '{}' has the value '{}'; allowed are 0 and numbers from {} to {} in size",
                                    column, printable(text, 80), 1 / most, most));
}

std::vector<CsvRow> read_csv(std::string_view text, const std::string& file) {
  CsvRows rows;
  std::vector<std::string> columns;
  std::size_t line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (line.empty() || line == "\r") continue;
    const std::vector<std::string> fields = fields_of(line);
    if (columns.empty()) {
      columns = fields;
      continue;
    }
    if (fields.size() != columns.size()) {
      throw InvalidArgument(fmt::format("line {} of '{}' has {} fields; allowed are {}, as in its first line",
                                        line_number, file, fields.size(), columns.size()));
    }
    CsvRow row;
    for (std::size_t i = 0; i < fields.size(); ++i) row[columns[i]] = fields[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Chart> charts_of(const CsvRows& rows) {
  if (rows.empty()) throw InvalidArgument("the CSV file has no rows; allowed is 1 or more");
  const auto all_have = [&](std::initializer_list<const char*> columns) {
    return std::ranges::all_of(rows, [&](const CsvRow& row) {
      return std::ranges::all_of(columns, [&](const char* column) { return row.contains(column); });
    });
  };
  std::vector<Chart> charts;
  if (all_have({"study", "label", "config", "size", "kind", "device", "nodes", "gpus_per_node", "median_s"})) {
    charts = exchange_charts(rows);
  } else if (all_have({"study", "series", "kind", "x", "y", "z", "devices", "order", "corners", "step_s", "compute_s",
                       "exchange_s", "synchronisation_s", "ns_per_cell", "model_ns_per_cell", "power_source",
                       "updates_per_s_per_w"})) {
    charts = mhd_charts(rows);
  } else if (all_have({"method", "block", "element", "radius", "direction", "gb_per_s"})) {
    charts = pack_charts(rows);
  } else if (all_have({"size", "bytes", "method", "traffic", "from", "to", "numa", "gb_per_s"})) {
    charts = link_charts(rows);
  } else if (all_have({"study", "kernel", "cells_x", "cells_y", "cells_z", "devices", "closed_overlapped_s",
                       "simulated_overlapped_s"})) {
    charts = prediction_charts(rows);
  } else if (all_have({"study", "cells", "devices", "scheme", "gflops"})) {
    charts = scheme_charts(rows);
  } else {
    throw InvalidArgument(
        "a CSV file with other columns; allowed are files of simulate --study, predict --study, bench_study, "
        "run mhd --study, bench links and bench_pack");
  }
  if (charts.empty()) throw InvalidArgument("the CSV file has no rows that are drawn");
  return charts;
}

}  // namespace cli
