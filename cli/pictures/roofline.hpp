// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "context.hpp"
#include "io/json_cursor.hpp"
#include "machine/machine_map.hpp"
#include "pictures/chart.hpp"
#include "pictures/study_picture.hpp"

namespace cli {

/// True if the rows have the columns of bench_ceilings.
[[nodiscard]] bool are_ceilings(const std::vector<CsvRow>& rows);

/// What exchanges and kernels moved in their time, below measured ceilings. Ceilings are lines: for each kind of memory or link its
/// highest rate, and for the latency of a flag the bytes over it. Results are bytes over seconds, of one device.
class Roofline {
 public:
  /// Rows of bench_ceilings, bench_study, the baselines, `run laplace3d --csv` or `run mhd --study`; file: for errors. Throws
  /// InvalidArgument for other columns.
  void add(const std::vector<CsvRow>& rows, const std::string& file);
  /// A document of `exchange --json` or `run jacobi3d --json`.
  void add(const Json& document, const std::string& file);
  /// Ceilings: the measured rates of the first type of node.
  void add(const halocline::machine::MachineMap& map);

  /// Throws InvalidArgument if there are no ceilings, or no results.
  [[nodiscard]] Chart chart() const;

 private:
  struct Roof {
    std::string name;
    double bandwidth = 0;  ///< bytes a second
    double latency = 0;    ///< seconds; not 0: the line is bytes / latency
  };
  struct Point {
    std::string name;
    double bytes = 0;
    double seconds = 0;
  };
  void add_point(const std::string& name, double bytes, double seconds);
  void raise(const std::string& part, const std::string& name, double bandwidth);
  void add_ceilings(const std::vector<CsvRow>& rows);
  void add_exchanges(const std::vector<CsvRow>& rows);
  void add_laplace(const std::vector<CsvRow>& rows);
  void add_mhd(const std::vector<CsvRow>& rows);
  void add_exchange(const halocline::io::JsonCursor& document);
  void add_jacobi3d(const halocline::io::JsonCursor& document);

  std::vector<std::pair<std::string, Roof>> roofs_;  ///< by part of bench_ceilings
  std::vector<Point> points_;
};

}  // namespace cli
