// SPDX-License-Identifier: BSD-3-Clause
#include "measured.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "machine/names.hpp"
#include "machine/paths.hpp"
#include "machine/rates.hpp"
#include "matrix_picture.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline::machine;

constexpr std::size_t most_rates = 64;
constexpr double tolerance = 0.2;
constexpr int host = Measurement::host;

std::string gigabytes(double bytes_per_second) {
  return bytes_per_second > 0 && std::isfinite(bytes_per_second) ? cell_text(bytes_per_second / 1e9) : "-";
}

std::string microseconds(double seconds) { return cell_text(seconds * 1e6); }

/// Methods that were measured between devices, or with the host, in the order in which they are listed.
std::vector<std::string> methods_of(const NodeType& type, bool with_host) {
  std::vector<std::string> methods;
  for (const Measurement& m : type.measurements) {
    const bool is_with_host = m.from == host || m.to == host;
    if (is_with_host != with_host || m.from == m.to) continue;
    if (std::find(methods.begin(), methods.end(), m.method) == methods.end()) methods.push_back(m.method);
  }
  return methods;
}

/// "394 / 389 / 387": one way, two ways, all pairs; what was not measured is left out at the end, else a dash.
std::string rates_cell(const NodeType& type, int from, int to, std::string_view method, int numa) {
  std::string cell;
  std::string gap;
  for (const Traffic traffic : all_traffic) {
    const Measurement* const found = find_measurement(type, from, to, method, traffic, numa);
    if (found == nullptr) {
      gap += cell.empty() && gap.empty() ? "-" : " / -";
      continue;
    }
    cell += gap + (cell.empty() && gap.empty() ? "" : " / ") + gigabytes(found->bandwidth);
    gap.clear();
  }
  return cell.empty() ? "-" : cell;
}

std::string latency_cell(const NodeType& type, int from, int to, std::string_view method, int numa) {
  const Measurement* const found = find_measurement(type, from, to, method, Traffic::one_way, numa);
  return found == nullptr ? "-" : microseconds(found->latency);
}

NodeType without_measurements(NodeType type) {
  type.measurements.clear();
  return type;
}

std::string pair_tables(const NodeType& type) {
  std::vector<std::string> methods = methods_of(type, false);
  if (methods.empty()) return {};
  const int devices = type.device_count();
  const std::vector<Path> nominal = best_paths(without_measurements(type));
  const auto path = [&](int from, int to) { return nominal[static_cast<std::size_t>(from * devices + to)]; };
  std::vector<std::string> header{"from", "to", "nominal"};
  header.insert(header.end(), methods.begin(), methods.end());
  Table latencies(header);
  // A flag carries nothing.
  std::erase(header, "flag");
  std::vector<std::string> carriers = methods;
  std::erase(carriers, "flag");
  Table rates(header);
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      if (from == to) continue;
      std::vector<Cell> rate{fmt::format("{}", from), fmt::format("{}", to), gigabytes(path(from, to).bandwidth)};
      std::vector<Cell> latency{rate[0], rate[1], microseconds(path(from, to).latency)};
      for (const std::string& method : carriers) rate.push_back(rates_cell(type, from, to, method, -1));
      for (const std::string& method : methods) latency.push_back(latency_cell(type, from, to, method, -1));
      rates.row(std::move(rate));
      latencies.row(std::move(latency));
    }
  }
  rates.limit(most_rates);
  latencies.limit(most_rates);
  return fmt::format(
      "\nbetween devices, GB/s: one way / each of two ways / each of all pairs at once\n{}"
      "\nbetween devices, us a message of 8 bytes\n{}",
      rates.text(), latencies.text());
}

std::string own_memory_table(const NodeType& type) {
  Table table({"device", "nominal GB/s", "copy GB/s", "us"});
  const NodeType nominal = without_measurements(type);
  bool any = false;
  for (int d = 0; d < type.device_count(); ++d) {
    const Measurement* const found = find_measurement(type, d, d, "copy", Traffic::one_way);
    if (found == nullptr) continue;
    any = true;
    const halocline::device_id id(d);
    table.row({fmt::format("{}", d), gigabytes(best_path(nominal, id, id).bandwidth), gigabytes(found->bandwidth),
               microseconds(found->latency)});
  }
  table.limit(most_rates);
  return any ? fmt::format("\nwithin each device's memory, read plus written\n{}", table.text()) : "";
}

std::string host_table(const NodeType& type) {
  const std::vector<std::string> methods = methods_of(type, true);
  if (methods.empty()) return {};
  const std::vector<int> devices = type.device_vertices();
  Table table({"device", "memory", "method", "nominal", "to device", "from device", "us to", "us from"});
  for (int d = 0; d < type.device_count(); ++d) {
    for (const std::string& method : methods) {
      std::set<int> memories;
      for (const Measurement& m : type.measurements) {
        const bool of_device = (m.from == host && m.to == d) || (m.from == d && m.to == host);
        if (of_device && m.method == method) memories.insert(m.numa);
      }
      for (const int numa : memories) {
        const double nominal = numa == -1 ? 0 : link_path(type, devices[static_cast<std::size_t>(d)], numa).bandwidth;
        table.row({fmt::format("{}", d), numa == -1 ? "any" : type.vertices[static_cast<std::size_t>(numa)].name,
                   method, gigabytes(nominal), rates_cell(type, host, d, method, numa),
                   rates_cell(type, d, host, method, numa), latency_cell(type, host, d, method, numa),
                   latency_cell(type, d, host, method, numa)});
      }
    }
  }
  table.limit(most_rates);
  return fmt::format("\nwith host memory, GB/s: one way / each of two ways / each of all devices at once\n{}",
                     table.text());
}

std::string exchange_table(const NodeType& type) {
  if (type.exchange_rates.empty()) return {};
  Table table({"path", "rows", "concurrent", "word", "GB/s", "us", "at least us"});
  for (const ExchangeRate& rate : type.exchange_rates) {
    table.row({std::string(to_string(rate.path)), std::string(to_string(rate.rows)), rate.concurrent ? "yes" : "no",
               fmt::format("{} B", rate.word_bytes), gigabytes(rate.bandwidth), microseconds(rate.latency),
               microseconds(rate.least)});
  }
  return fmt::format("\nexchanges of all devices at once, each of one kind of cells\n{}", table.text());
}

std::string end_text(int device) { return device == host ? "host" : fmt::format("device {}", device); }

}  // namespace

std::string measured_tables(const MachineMap& map) {
  std::string text;
  for (const NodeType& type : map.types) {
    const std::string tables = pair_tables(type) + own_memory_table(type) + host_table(type) + exchange_table(type);
    if (!tables.empty()) text += fmt::format("\nmeasured on node type '{}'\n{}", type.name, tables);
  }
  return text;
}

std::vector<std::string> warnings_of(const MachineMap& map, std::size_t most) {
  std::vector<SlowPath> found = slow_paths(map, tolerance);
  std::ranges::stable_sort(found, {}, [](const SlowPath& path) { return path.measured / path.nominal; });
  std::vector<std::string> lines;
  for (const SlowPath& path : found) {
    if (lines.size() == most) {
      lines.push_back(
          fmt::format("... and {} more that are over {:.0f} % below", found.size() - most, 100 * tolerance));
      break;
    }
    const NodeType& type = map.types[static_cast<std::size_t>(path.type)];
    const std::string memory =
        path.numa == -1 ? "" : fmt::format(", {}", type.vertices[static_cast<std::size_t>(path.numa)].name);
    lines.push_back(fmt::format("{} from {} to {}{} measured {} GB/s, nominal are {} GB/s ({:+.0f} %)", path.method,
                                end_text(path.from), end_text(path.to), memory, gigabytes(path.measured),
                                gigabytes(path.nominal), 100 * (path.measured / path.nominal - 1)));
  }
  return lines;
}

std::string left_out_text(std::span<const LeftOut> left_out) {
  std::string text;
  for (const LeftOut& one : left_out) {
    text += fmt::format("not measured: {}, {}: {}\n", one.method, plural(one.pairs, "time"), one.reason);
  }
  return text;
}

}  // namespace cli
