// SPDX-License-Identifier: BSD-3-Clause
#include "pictures/baseline_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace cli {
namespace {

/// "NCCL, no mixing graph" is a variant of NCCL.
std::string library_of(const std::string& variant) { return variant.substr(0, variant.find_first_of(" ,")); }

/// The rounds of a variant at a size, in microseconds.
using Rounds = std::map<double, std::map<std::string, std::vector<double>>>;

std::vector<Value> fastest(const Rounds& rounds) {
  std::vector<Value> curve;
  for (const auto& [size, variants] : rounds) {
    std::vector<Value> all;
    for (const auto& [variant, times] : variants) {
      all.push_back(median_at(size, times));
    }
    curve.push_back(std::ranges::min(all, {}, &Value::y));
  }
  return curve;
}

Chart chart_of(const std::vector<CsvRow>& rows, const std::string& title, const std::string& column) {
  std::vector<std::pair<std::string, Rounds>> libraries;  // in the order of their first rows
  for (const CsvRow& row : rows) {
    if (row.at(column).empty()) continue;
    const std::string library = library_of(row.at("config"));
    auto place = std::ranges::find(libraries, library, &std::pair<std::string, Rounds>::first);
    if (place == libraries.end()) place = libraries.insert(place, {library, {}});
    place->second[csv_number(row, "size")][row.at("config")].push_back(1e6 * csv_number(row, column));
  }
  Chart chart{title, "cells along an edge of a GPU's cube", "exchange (us)", {}, {}, true, true, {}};
  for (const auto& [library, rounds] : libraries) {
    chart.series.push_back({library, fastest(rounds), false, chart.series.size()});
    for (const auto& [size, variants] : rounds) chart.x_ticks.push_back(size);
  }
  std::ranges::sort(chart.x_ticks);
  const auto repeated = std::ranges::unique(chart.x_ticks);
  chart.x_ticks.erase(repeated.begin(), repeated.end());
  return chart;
}

}  // namespace

std::vector<Chart> baseline_charts(const std::vector<CsvRow>& rows) {
  std::map<std::string, std::vector<CsvRow>> grids;
  for (const CsvRow& row : rows) {
    grids[fmt::format("{} x {} x {}", row.at("grid_x"), row.at("grid_y"), row.at("grid_z"))].push_back(row);
  }
  std::vector<Chart> charts;
  for (const auto& [grid, of] : grids) {
    for (const auto& [how, column] :
         {std::pair{"back to back", "steady_s"}, std::pair{"behind a barrier", "median_s"}}) {
      Chart chart = chart_of(of, fmt::format("ranks {}, {}: the fastest way by each library", grid, how), column);
      if (!chart.series.empty()) charts.push_back(std::move(chart));
    }
  }
  return charts;
}

}  // namespace cli
