// SPDX-License-Identifier: BSD-3-Clause
#include "pictures/roofline.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "halocline/error.hpp"
#include "halocline/field.hpp"
#include "table.hpp"

namespace cli {
namespace {

using halocline::InvalidArgument;
using halocline::io::JsonCursor;
using halocline::machine::Measurement;

constexpr double giga = 1e9;

/// Values that a cell of mhd moves in a step at least: eight fields, read and written in each of three substeps, and their old
/// values in two of them.
constexpr double mhd_values = 8 * (3 * 2 + 2);
/// Of a stencil with two buffers: a cell is read once and written once.
constexpr double stencil_values = 2;

bool all_have(const std::vector<CsvRow>& rows, std::initializer_list<const char*> columns) {
  return std::ranges::all_of(rows, [&](const CsvRow& row) {
    return std::ranges::all_of(columns, [&](const char* column) { return row.contains(column); });
  });
}

double element_bytes(const std::string& name) {
  return static_cast<double>(halocline::bytes_of(halocline::element_from_string(name)));
}

double cells_of(const CsvRow& row) { return csv_number(row, "x") * csv_number(row, "y") * csv_number(row, "z"); }

/// What a part of bench_ceilings is called; nothing for those that bound no result here.
std::string part_name(const std::string& part) {
  static const std::map<std::string, std::string> names{{"memory", "memory"},
                                                        {"links", "between devices"},
                                                        {"host", "with the host"},
                                                        {"mpi", "MPI"},
                                                        {"mpi_device", "MPI"}};
  const auto found = names.find(part);
  return found == names.end() ? "" : found->second;
}

std::string of_devices(double devices) { return plural(static_cast<std::int64_t>(devices), "device"); }

}  // namespace

bool are_ceilings(const std::vector<CsvRow>& rows) {
  return !rows.empty() && all_have(rows, {"part", "what", "bytes", "devices", "unit", "median"});
}

/// The highest of a part stays.
void Roofline::raise(const std::string& part, const std::string& name, double bandwidth) {
  auto place = std::ranges::find(roofs_, part, &std::pair<std::string, Roof>::first);
  if (place == roofs_.end()) place = roofs_.insert(place, {part, {}});
  if (bandwidth > place->second.bandwidth) place->second = {name, bandwidth, 0};
}

void Roofline::add_point(const std::string& name, double bytes, double seconds) {
  if (bytes > 0 && seconds > 0) points_.push_back({name, bytes, seconds});
}

void Roofline::add_ceilings(const std::vector<CsvRow>& rows) {
  for (const CsvRow& row : rows) {
    const std::string& what = row.at("what");
    const std::string part = part_name(row.at("part"));
    const double median = csv_number(row, "median");
    if (row.at("unit") == "GB/s" && !part.empty())
      raise(row.at("part"), fmt::format("{}: {}", part, what), median * giga);
    if (row.at("unit") == "us" && what.starts_with("flag from GPU to GPU")) {
      roofs_.push_back({"flag", {fmt::format("latency: {}", what), 0, median * 1e-6}});
    }
  }
}

/// Of the busiest device, to itself included; back to back where that was measured.
void Roofline::add_exchanges(const std::vector<CsvRow>& rows) {
  for (const CsvRow& row : rows) {
    const bool steady = row.contains("steady_s") && !row.at("steady_s").empty() && csv_number(row, "steady_s") > 0;
    const double devices = csv_number(row, "nodes") * csv_number(row, "gpus_per_node");
    const bool other_mpi = row.at("label").ends_with("/ca");
    add_point(
        fmt::format("exchange, {}{}, {}", row.at("config"), other_mpi ? ", CUDA-aware MPI" : "", of_devices(devices)),
        csv_number(row, "bytes_out"), csv_number(row, steady ? "steady_s" : "median_s"));
  }
}

/// Whole steps, exchange included.
void Roofline::add_laplace(const std::vector<CsvRow>& rows) {
  const auto is_own = [](const CsvRow& row) { return row.at("scheme") == "halocline"; };
  const bool own = std::ranges::any_of(rows, is_own);
  for (const CsvRow& row : rows) {
    if (own && !is_own(row)) continue;
    const double devices = csv_number(row, "devices");
    const double bytes = stencil_values * element_bytes(row.at("precision")) * cells_of(row) / devices;
    add_point(fmt::format("laplace3d steps, {} points, {}, {}{}", row.at("stencil"), row.at("precision"),
                          own ? "" : row.at("scheme") + ", ", of_devices(devices)),
              bytes, csv_number(row, "step_s"));
  }
}

/// Kernels alone.
void Roofline::add_mhd(const std::vector<CsvRow>& rows) {
  for (const CsvRow& row : rows) {
    if (row.at("kind") != "devices" || row.at("compute_s").empty()) continue;
    const double bytes = mhd_values * element_bytes(row.at("precision")) * cells_of(row) / csv_number(row, "devices");
    add_point(fmt::format("mhd kernels, order {}, {}", row.at("order"), row.at("precision")), bytes,
              csv_number(row, "compute_s"));
  }
}

void Roofline::add(const std::vector<CsvRow>& rows, const std::string& file) {
  if (are_ceilings(rows)) {
    add_ceilings(rows);
  } else if (all_have(rows, {"label", "config", "nodes", "gpus_per_node", "median_s", "bytes_out"})) {
    add_exchanges(rows);
  } else if (all_have(rows, {"x", "y", "z", "stencil", "precision", "devices", "scheme", "step_s"})) {
    add_laplace(rows);
  } else if (all_have(rows, {"kind", "x", "y", "z", "devices", "order", "precision", "compute_s"})) {
    add_mhd(rows);
  } else {
    throw InvalidArgument(
        fmt::format("'{}' is a CSV file with other columns; allowed beside ceilings are files of bench_study, the "
                    "baselines, run laplace3d --csv and run mhd --study",
                    file));
  }
}

void Roofline::add(const Json& json, const std::string& file) {
  try {
    const JsonCursor document(json);
    const std::string command = document.at("command").text();
    if (command == "exchange") return add_exchange(document);
    if (command == "run jacobi3d") return add_jacobi3d(document);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("'{}' is not a whole document of a command: {}", file, error.what()));
  }
  throw InvalidArgument(fmt::format(
      "'{}' is of another command; allowed beside ceilings are documents of exchange --json and run jacobi3d --json",
      file));
}

void Roofline::add_exchange(const JsonCursor& document) {
  const double devices = document.at("machine").at("devices").number();
  // Between devices, or within the only one.
  double within = 0, between = 0;
  for (const JsonCursor& share : document.at("transports").items()) {
    (share.at("transport").text() == "self" ? within : between) += share.at("bytes").number() / devices;
  }
  const auto steady = document.find("steady");
  const JsonCursor seconds = steady ? steady->at("mean_s") : document.at("times").at("p50_s");
  add_point(fmt::format("exchange, {}", between > 0 ? of_devices(devices) : "within a device"),
            between > 0 ? between : within, seconds.number());
}

void Roofline::add_jacobi3d(const JsonCursor& document) {
  const double devices = document.at("machine").at("devices").number();
  const JsonCursor result = document.at("result");
  const JsonCursor domain = document.at("domain");
  double cells = 1;
  for (const JsonCursor& length : domain.at("extent").items()) cells *= length.number();
  const auto fields = domain.at("fields").items();
  if (fields.empty()) domain.at("fields").refuse("at least one field");
  const double element = element_bytes(fields.front().at("type").text());
  const auto of_kernels = result.find("compute_s");
  const JsonCursor seconds = of_kernels ? *of_kernels : result.at("total_s");
  add_point(fmt::format("jacobi3d {}, {}", of_kernels ? "kernels" : "steps", of_devices(devices)),
            stencil_values * element * cells / devices, seconds.number() / result.at("steps").number());
}

void Roofline::add(const halocline::machine::MachineMap& map) {
  for (const Measurement& m : map.types.front().measurements) {
    const bool host = m.from == Measurement::host || m.to == Measurement::host;
    const std::string part = host ? "host" : (m.from == m.to ? "memory" : "links");
    raise(part, fmt::format("{}: {}", part_name(part), m.method), m.bandwidth);
  }
}

Chart Roofline::chart() const {
  if (points_.empty()) {
    throw InvalidArgument(
        "ceilings without results; allowed are further files with them, such as results of bench_study or "
        "documents of exchange --json");
  }
  if (roofs_.empty()) throw InvalidArgument("the machine map has no measured rates, which would be the ceilings");
  Chart chart{"bytes over time, below measured ceilings",
              "bytes that a device moves at a time",
              "GB/s",
              {},
              {},
              true,
              true,
              {}};
  const auto [least, most] = std::ranges::minmax(points_, {}, &Point::bytes);
  const double left = least.bytes / 1.5, right = most.bytes * 1.5;
  double top = 0;
  for (const auto& [part, roof] : roofs_) {
    if (part == "links" || top == 0) top = roof.bandwidth;
  }
  for (const auto& [part, roof] : roofs_) {
    // The line of a flag's latency ends at the ceiling of links.
    if (roof.latency > 0 && left >= top * roof.latency) continue;
    Series series{roof.name, {}, true, chart.series.size()};
    for (const double bytes : {left, right}) {
      const double x = roof.latency > 0 ? std::min(bytes, top * roof.latency) : bytes;
      const double rate = (roof.latency > 0 ? x / roof.latency : roof.bandwidth) / giga;
      series.values.push_back({x, rate, rate, rate});
    }
    chart.series.push_back(std::move(series));
  }
  // Medians of repetitions, in the order of the first.
  std::vector<std::string> names;
  std::map<std::string, std::map<double, std::vector<double>>> rates;
  for (const Point& point : points_) {
    if (std::ranges::find(names, point.name) == names.end()) names.push_back(point.name);
    rates[point.name][point.bytes].push_back(point.bytes / point.seconds / giga);
  }
  for (const std::string& name : names) {
    Series series{name, {}, false, chart.series.size()};
    for (const auto& [bytes, repeats] : rates[name]) {
      series.values.push_back(median_at(bytes, repeats));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace cli
