// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "doctor/check.hpp"

/// The findings of all ranks as one report. Pure.
namespace cli::doctor {

/// What one rank found: a finding for each check. node: number and name of its node.
struct RankReport {
  int node = 0;
  std::string node_name;
  std::vector<Finding> findings;
};

/// A finding and where it was made: "" on all ranks, "node a", "nodes a, b", "rank 3", "ranks 1, 2".
struct Part {
  std::string where;
  Finding finding;
};

/// A check with what was found, the worst first. Ranks that skipped it do not count if others did not.
struct Line {
  std::string name;
  std::vector<Part> parts;
  [[nodiscard]] Status status() const { return parts.front().finding.status; }
};

/// names: of the checks. There is at least one rank.
[[nodiscard]] std::vector<Line> merged(const std::vector<std::string>& names, const std::vector<RankReport>& ranks);

/// A table within terminal_columns: name, result, what was seen, and a line "fix" where something is to be done.
[[nodiscard]] std::string report_text(const std::vector<Line>& lines);
[[nodiscard]] Json report_json(const std::vector<Line>& lines);
/// Whether nothing is broken.
[[nodiscard]] bool all_works(const std::vector<Line>& lines);

}  // namespace cli::doctor
