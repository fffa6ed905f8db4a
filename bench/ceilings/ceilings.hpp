// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/rank_group.hpp"
#include "support/csv.hpp"

namespace halocline::bench {

/// Where measurements go: rank 0's table and file.
class Ceilings {
 public:
  /// Rank 0 alone writes; the others' calls do nothing. path may be empty: no file.
  Ceilings(comm::RankGroup& world, const std::string& path);
  /// A rate in bytes a second; `bytes`: of one operation; `devices` were busy at once, and the rate is
  /// that of the slowest of them (or as `what` says).
  void rate(const std::string& part, const std::string& what, double bytes, int devices, std::span<const double> rates);
  /// A time in seconds.
  void time(const std::string& part, const std::string& what, double bytes, std::span<const double> seconds);
  /// Prints how a part was measured, beside the table.
  void note(const std::string& part, const std::string& text);
  /// Says that a part is not measured here, and why.
  void left_out(const std::string& part, const std::string& why);

 private:
  void add(const std::string& part, const std::string& what, double bytes, int devices, const std::string& unit,
           double factor, std::span<const double> values);
  bool writes_ = false;
  std::unique_ptr<Csv> csv_;
};

/// One group of measurements. Collective: all ranks call it.
struct Part {
  std::string name;
  std::function<void(comm::RankGroup& world, Ceilings& ceilings)> measure;
};

/// Edges of cubes, in cells, of which the messages of an exchange are faces.
using Edges = std::vector<std::size_t>;

/// What this build can measure: on GPUs (rank 0 drives all that it sees while the others wait), by MPI, and by UCX.
[[nodiscard]] std::vector<Part> gpu_parts();
[[nodiscard]] std::vector<Part> mpi_parts(const Edges& edges);
[[nodiscard]] std::vector<Part> ucx_parts(const Edges& edges);

}  // namespace halocline::bench
