// SPDX-License-Identifier: BSD-3-Clause
#include "support/results.hpp"
#include "comm/agree.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace halocline::bench {
namespace {

const std::vector<std::string> columns{
    "study",         "label",     "config",   "size",     "kind",   "device",   "nodes",  "ranks_per_node",
    "gpus_per_node", "extent_x",  "extent_y", "extent_z", "grid_x", "grid_y",   "grid_z", "radius",
    "fields",        "element",   "round",    "samples",  "min_s",  "median_s", "max_s",  "steady_count",
    "steady_s",      "bytes_out", "messages", "routes",   "note"};

void add_rows(Csv& csv, const Case& what, const Entry& entry) {
  for (std::size_t round = 0; round < entry.rounds.size(); ++round) {
    const Timing& timing = entry.rounds[round];
    const Spread spread = spread_of(timing.samples);
    std::vector<std::string> cells{
        what.study, label_of(what.shape, what.size, entry.cuda_aware), entry.config, what.size, what.kind, what.device};
    for (const std::int64_t value :
         {what.shape.nodes, what.shape.ranks_per_node, what.shape.gpus_per_node, what.extent.x, what.extent.y,
          what.extent.z, what.grid.x, what.grid.y, what.grid.z, what.radius, what.fields}) {
      cells.push_back(std::to_string(value));
    }
    cells.push_back(what.element);
    cells.push_back(std::to_string(round));
    cells.push_back(std::to_string(timing.samples.size()));
    for (const double seconds : {spread.min, spread.median, spread.max})
      cells.push_back(fmt::format("{:.9f}", seconds));
    cells.push_back(std::to_string(timing.steady_count));
    cells.push_back(timing.steady_count > 0 ? fmt::format("{:.9f}", timing.steady) : "");
    cells.push_back(std::to_string(entry.bytes_out));
    cells.push_back(std::to_string(entry.messages));
    cells.push_back(entry.routes);
    cells.push_back(entry.note);
    csv.row(cells);
  }
}

void print_entry(const Case& what, const Entry& entry, std::size_t width) {
  std::vector<double> medians;
  std::vector<double> steady;
  for (const auto& round : entry.rounds) {
    medians.push_back(spread_of(round.samples).median * 1e6);
    if (round.steady_count > 0) steady.push_back(round.steady * 1e6);
  }
  const Spread exchange = spread_of(medians);
  const std::string back_to_back = steady.empty() ? "-" : fmt::format("{:.1f}", spread_of(steady).median);
  fmt::print("{:<24} {:<{}} {:>10.1f} {:>10.1f} {:>10.1f} {:>10} {:>9.1f}  {}{}\n",
             label_of(what.shape, what.size, entry.cuda_aware), entry.config, width, exchange.median, exchange.min,
             exchange.max, back_to_back, static_cast<double>(entry.bytes_out) / exchange.median * 1e-3, entry.routes,
             entry.note.empty() ? "" : "  (" + entry.note + ")");
}

}  // namespace

std::string label_of(const Shape& shape, const std::string& extent, bool cuda_aware) {
  return fmt::format("{}n/{}r/{}g/{}{}", shape.nodes, shape.ranks_per_node, shape.gpus_per_node, extent,
                     cuda_aware ? "/ca" : "");
}

void report(comm::RankGroup& world, const std::string& folder, const Case& what, const std::vector<Entry>& entries) {
  comm::agree_on(world, [&] {
    if (world.rank().value() != 0) return;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);  // if it fails, opening the file reports it
    Csv csv(folder + "/" + what.study + ".csv", columns);
    for (const auto& entry : entries) add_rows(csv, what, entry);
    std::size_t width = 8;
    for (const auto& entry : entries) width = std::max(width, entry.config.size());
    fmt::print("\n{}: {} on {}; domain {}, {} subdomains as {}, radius {}, {} x {}; us, {} rounds\n", what.study,
               what.kind == "block" ? "block of " + what.size + " a GPU" : "domain " + what.size, what.device,
               to_string(what.extent), what.grid.volume(), to_string(what.grid), what.radius, what.fields, what.element,
               entries.empty() ? 0 : entries.front().rounds.size());
    fmt::print("{:<24} {:<{}} {:>10} {:>10} {:>10} {:>10} {:>9}  {}\n", "label", "config", width, "median", "lowest",
               "highest", "steady", "GB/s out", "routes");
    for (const auto& entry : entries) print_entry(what, entry, width);
    std::fflush(stdout);
  });
}

}  // namespace halocline::bench
