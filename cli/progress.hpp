// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "core/clock.hpp"

namespace cli {

/// How far long work has come, on standard error, so that standard output stays what was asked for.
enum class ProgressStyle : int {
  automatic,  ///< a bar on a terminal that can write over a line, lines otherwise
  bar,        ///< one line that is written over, at most as wide as the terminal
  lines,      ///< a line for each tenth
  off,
};

/// One piece of work, which begins when this is made. Draws at most ten times a second. Call from one thread of one rank.
class ProgressBar {
 public:
  ProgressBar(std::string label, std::int64_t total, ProgressStyle style, std::FILE* out = stderr,
              const halocline::Clock& clock = halocline::Clock::steady());
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Ends the bar's line.
  ~ProgressBar();
  /// detail: a few words after the rate, e.g. the residual.
  void update(std::int64_t done, const std::string& detail = {});

 private:
  std::string label_;
  std::int64_t total_;
  ProgressStyle style_;
  std::FILE* out_;
  const halocline::Clock* clock_;
  halocline::Duration begin_;
  halocline::Duration last_;
  std::int64_t tenths_ = 0;
  std::size_t width_ = 0;
};

/// "solving  [############------------]  50 %  100 / 200  45 a second, 2.2 s left  residual 1e-4", without the newline.
[[nodiscard]] std::string bar_text(const std::string& label, std::int64_t done, std::int64_t total, double seconds,
                                   const std::string& detail);
/// "45 a second, 2.2 s left" of work that has taken so many seconds; at its end "45 a second, 4.4 s in all". Empty where nothing is
/// known: nothing is done, or no time has passed.
[[nodiscard]] std::string rate_text(std::int64_t done, std::int64_t total, double seconds);
/// "0.8 s", "47 s", "3 min 20 s", "2 h 05 min"
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace cli
