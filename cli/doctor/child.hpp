// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "core/clock.hpp"

namespace cli::doctor {

struct ChildResult {
  bool started = false;
  bool in_time = true;
  int code = 0;        ///< exit code; 128 and the number of the signal that ended it
  std::string output;  ///< standard output and error as they came
  /// The first and the last line of the output with a letter in it, rules left out.
  [[nodiscard]] std::string first_line() const;
  [[nodiscard]] std::string last_line() const;
};

/// Runs a program, found on PATH, to its end: in an environment without the variables of launchers, in which the child would
/// take itself for a rank of this job, and with HALOCLINE_BACKEND=host. At the deadline the child and its children are killed.
[[nodiscard]] ChildResult run_child(const std::vector<std::string>& words, halocline::Duration timeout);

}  // namespace cli::doctor
