// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace cli {

/// How far long work has come, on standard error, so that standard output stays what was asked for.
enum class ProgressStyle : int {
  automatic,  ///< a bar on a terminal, lines otherwise
  bar,        ///< one line that is written over
  lines,      ///< a line for each tenth
  off,
};

/// One piece of work. Draws at most ten times a second. Call from one thread of one rank.
class ProgressBar {
 public:
  ProgressBar(std::string label, std::int64_t total, ProgressStyle style, std::FILE* out = stderr);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Ends the bar's line.
  ~ProgressBar();
  /// detail: a few words after the bar, e.g. the residual.
  void update(std::int64_t done, const std::string& detail = {});

 private:
  std::string label_;
  std::int64_t total_;
  ProgressStyle style_;
  std::FILE* out_;
  std::int64_t tenths_ = 0;
  std::int64_t last_ns_ = -1;
  std::size_t width_ = 0;
};

/// "solving  [############------------]  50 %  100 / 200  residual 1e-4", without the newline.
[[nodiscard]] std::string bar_text(const std::string& label, std::int64_t done, std::int64_t total,
                                   const std::string& detail);

}  // namespace cli
