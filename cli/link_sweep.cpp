// SPDX-License-Identifier: BSD-3-Clause
#include "link_sweep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "discovery/discover.hpp"
#include "halocline/environment.hpp"
#include "halocline/error.hpp"
#include "machine/names.hpp"
#include "pictures/study_picture.hpp"
#include "planning.hpp"

namespace cli {

using namespace halocline;

namespace {

constexpr const char* header = "node,backend,ranks,devices,size,bytes,method,traffic,from,to,numa,seconds,gb_per_s";

std::string end_of(int device) { return device == machine::Measurement::host ? "host" : fmt::format("{}", device); }

std::vector<LinkRow> rows_of(const machine::MachineMap& map, std::int64_t size) {
  std::vector<LinkRow> rows;
  for (const machine::Measurement& m : map.types.at(0).measurements) {
    const bool flag = m.method == "flag";  // carries nothing
    if (flag || m.bandwidth <= 0) continue;
    // Within a device each byte is read and written.
    const double moved = static_cast<double>(m.bytes) * (m.from == m.to ? 2 : 1);
    rows.push_back({size, m.bytes, m.method, std::string(machine::to_string(m.traffic)), end_of(m.from), end_of(m.to),
                    m.numa, moved / m.bandwidth, m.bandwidth / 1e9});
  }
  return rows;
}

std::int64_t integer_of(const CsvRow& row, const char* column, const std::string& path) {
  const std::string& text = row.at(column);
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (!text.empty() && *end == '\0') return value;
  throw InvalidArgument(
      fmt::format("column '{}' of '{}' has the value '{}'; allowed are whole numbers", column, path, text));
}

double number_of(const CsvRow& row, const char* column, const std::string& path) {
  const std::string& text = row.at(column);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0') return value;
  throw InvalidArgument(fmt::format("column '{}' of '{}' has the value '{}'; allowed are numbers", column, path, text));
}

std::string text_of(const LinkSource& source) {
  return fmt::format("node '{}', backend {}, {} ranks, {} devices", source.node, source.backend, source.ranks,
                     source.devices);
}

}  // namespace

std::string csv_of(const LinkTable& table) {
  std::string csv = fmt::format("{}\n", header);
  for (const LinkRow& row : table.rows) {
    csv += fmt::format("\"{}\",{},{},{},{},{},{},{},{},{},{},{:.6e},{:.6g}\n", table.source.node, table.source.backend,
                       table.source.ranks, table.source.devices, row.size, row.bytes, row.method, row.traffic, row.from,
                       row.to, row.numa, row.seconds, row.gigabytes_per_second);
  }
  return csv;
}

LinkTable link_table_of(const std::string& csv, const std::string& path) {
  if (csv.substr(0, csv.find('\n')) != header) {
    throw InvalidArgument(
        fmt::format("'{}' does not begin with the columns of 'bench links'; allowed, to go on with it, is a "
                    "file that it has written",
                    path));
  }
  LinkTable table;
  for (const CsvRow& row : read_csv(csv, path)) {
    const LinkSource source{row.at("node"), row.at("backend"), static_cast<int>(integer_of(row, "ranks", path)),
                            static_cast<int>(integer_of(row, "devices", path))};
    if (table.rows.empty()) table.source = source;
    if (source != table.source)
      throw InvalidArgument(fmt::format("'{}' has rows of several machines; allowed is one", path));
    table.rows.push_back({integer_of(row, "size", path), integer_of(row, "bytes", path), row.at("method"),
                          row.at("traffic"), row.at("from"), row.at("to"),
                          static_cast<int>(integer_of(row, "numa", path)), number_of(row, "seconds", path),
                          number_of(row, "gb_per_s", path)});
  }
  return table;
}

SweptLinks sweep_links(Context& context, const LinkSweep& sweep, std::optional<LinkTable> before,
                       const std::function<void(const LinkTable&)>& done) {
  const auto node = context.world.split_by_node(context.options.ranks_per_node);
  SweptLinks found;
  try {
    const auto backend = backend_of(context, *node);
    const auto map = machine::discover(context.world, *node, *backend, halocline::Environment::read().virtual_rack);
    const LinkSource here{map.name, std::string(to_string(backend->kind())), context.world.size(),
                          static_cast<int>(map.device_count())};
    if (before && !before->rows.empty() && before->source != here) {
      throw InvalidArgument(fmt::format("the rows to go on with are of {}, and this is {}; allowed is the same",
                                        text_of(before->source), text_of(here)));
    }
    if (before) found.table = std::move(*before);
    found.table.source = here;
    std::set<std::int64_t> known;
    for (const LinkRow& row : found.table.rows) known.insert(row.size);
    const auto& clock = context.world.clock();
    const auto begin = clock.now();
    for (const std::int64_t size : sweep.sizes) {
      if (known.contains(size)) continue;
      const double spent =
          context.world.all_reduce(std::chrono::duration<double>(clock.now() - begin).count(), comm::Reduction::max);
      machine::MeasureRequest request;
      request.bytes = size;
      request.exact = true;
      request.seconds = sweep.seconds - spent;
      if (request.seconds <= 0) {
        found.missing.push_back(size);
        continue;
      }
      const machine::Measured measured = measure(context.world, *node, *backend, map, request);
      if (std::ranges::any_of(measured.left_out, &machine::LeftOut::for_time)) {
        found.missing.push_back(size);
        continue;
      }
      for (LinkRow& row : rows_of(measured.map, size)) found.table.rows.push_back(std::move(row));
      found.left_out.insert(found.left_out.end(), measured.left_out.begin(), measured.left_out.end());
      done(found.table);
    }
  } catch (const Error&) {
    node->close();  // all ranks throw the same
    throw;
  }
  node->close();
  return found;
}

}  // namespace cli
