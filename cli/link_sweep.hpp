// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "context.hpp"
#include "measure/measure.hpp"

/// Bandwidth of each method and direction by size of the messages: 'bench links'.
namespace cli {

/// What one measurement found; the columns of the CSV file.
struct LinkRow {
  std::int64_t size = 0;   ///< that was asked for
  std::int64_t bytes = 0;  ///< of the messages: less than `size` where a method has a limit
  std::string method;
  std::string traffic;
  std::string from;  ///< "host", or the number of a device
  std::string to;
  int numa = -1;  ///< vertex of the host's memory; -1 for any
  double seconds = 0;
  double gigabytes_per_second = 0;
};

/// Where rows come from, so that a file goes on only on the same machine.
struct LinkSource {
  std::string node;
  std::string backend;
  int ranks = 1;
  int devices = 1;
  friend bool operator==(const LinkSource&, const LinkSource&) = default;
};
struct LinkTable {
  LinkSource source;
  std::vector<LinkRow> rows;
};
[[nodiscard]] std::string csv_of(const LinkTable& table);
/// Throws InvalidArgument for a text that csv_of() has not written; path: for the error.
[[nodiscard]] LinkTable link_table_of(const std::string& csv, const std::string& path);

struct LinkSweep {
  std::vector<std::int64_t> sizes;
  double seconds = 120;  ///< no measurement starts after it
};
struct SweptLinks {
  LinkTable table;
  std::vector<halocline::machine::LeftOut> left_out;  ///< of the sizes measured now, for other reasons than time
  std::vector<std::int64_t> missing;                  ///< sizes for which there was no time
};
/// Measures what the table lacks, size by size. A size counts when all of it was measured; then done() is called on all ranks. Collective.
/// Throws InvalidArgument where the table is from another machine, other devices or another number of ranks.
[[nodiscard]] SweptLinks sweep_links(Context& context, const LinkSweep& sweep, std::optional<LinkTable> before,
                                     const std::function<void(const LinkTable&)>& done);

}  // namespace cli
