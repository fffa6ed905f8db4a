// SPDX-License-Identifier: BSD-3-Clause
#include "pictures/prediction_picture.hpp"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <utility>

#include "pictures/collected.hpp"

namespace cli {
namespace {

/// In a weak study each device has a cube of this size; in a strong one all of them together.
std::string size_of(const CsvRow& row, bool weak) {
  const double cells = csv_number(row, "cells_x") * csv_number(row, "cells_y") * csv_number(row, "cells_z");
  return fmt::format("{:.0f}^3", std::cbrt(weak ? cells / csv_number(row, "devices") : cells)) +
         (weak ? " a device" : "");
}

}  // namespace

std::vector<Chart> prediction_charts(const std::vector<CsvRow>& rows) {
  std::map<std::pair<std::string, std::string>, Collected> found;
  for (const CsvRow& row : rows) {
    const std::string name = size_of(row, row.at("study") == "weak");
    Collected& steps = found[{row.at("kernel"), row.at("study")}];
    const double devices = csv_number(row, "devices");
    steps.add(name, false, devices, 1e3 * csv_number(row, "simulated_overlapped_s"));
    steps.add(name, true, devices, 1e3 * csv_number(row, "closed_overlapped_s"));
  }
  std::vector<Chart> charts;
  for (const auto& [of, steps] : found) {
    const auto& [kernel, study] = of;
    Chart chart{fmt::format("{}: {} scaling, simulated; model: the closed form", kernel, study),
                "devices",
                "ms a step",
                {},
                {},
                true,
                study == "strong",
                steps.series()};
    chart.x_ticks = all_x(chart.series);
    charts.push_back(std::move(chart));
  }
  return charts;
}

std::vector<Chart> scheme_charts(const std::vector<CsvRow>& rows) {
  std::map<double, std::pair<std::vector<std::string>, Collected>> found;  // by devices: sizes, and the schemes' rates
  for (const CsvRow& row : rows) {
    auto& [sizes, rates] = found[csv_number(row, "devices")];
    const std::string size = row.at("cells") + "^3";
    if (sizes.empty() || sizes.back() != size) sizes.push_back(size);
    rates.add(row.at("scheme"), false, static_cast<double>(sizes.size() - 1), csv_number(row, "gflops"));
  }
  std::vector<Chart> charts;
  for (const auto& [devices, of] : found) {
    const auto& [sizes, rates] = of;
    charts.push_back({fmt::format("laplace3d: schemes on {:g} devices, simulated", devices),
                      "",
                      "GFLOP/s",
                      sizes,
                      {},
                      false,
                      false,
                      rates.series()});
  }
  return charts;
}

}  // namespace cli
