// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "fold.hpp"

namespace cli {
namespace {

using halocline::Duration;

constexpr std::int64_t bar_cells = 30;
constexpr Duration least_between_draws = std::chrono::milliseconds(100);

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

/// Whether '\r' goes to the beginning of a line that is then written over.
bool writes_over_lines(std::FILE* out) {
  const char* terminal = std::getenv("TERM");
  return isatty(fileno(out)) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

/// A line that is wider than the terminal would not be written over.
std::size_t columns_of_terminal(std::FILE* out) {
  winsize size{};
  if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return terminal_columns;
  return size.ws_col;
}

}  // namespace

ProgressBar::ProgressBar(std::string label, std::int64_t total, ProgressStyle style, std::FILE* out,
                         const halocline::Clock& clock)
    : label_(std::move(label)),
      total_(std::max<std::int64_t>(total, 1)),
      style_(style),
      out_(out),
      clock_(&clock),
      begin_(clock.now()),
      last_(begin_ - least_between_draws) {
  if (style_ == ProgressStyle::automatic) {
    style_ = writes_over_lines(out_) ? ProgressStyle::bar : ProgressStyle::lines;
  }
}

ProgressBar::~ProgressBar() {
  if (style_ == ProgressStyle::bar && width_ > 0) std::fputc('\n', out_);
}

void ProgressBar::update(std::int64_t done, const std::string& detail) {
  if (style_ == ProgressStyle::off) return;
  const Duration now = clock_->now();
  const double seconds = seconds_of(now - begin_);
  if (style_ == ProgressStyle::lines) {
    const std::int64_t tenths = 10 * done / total_;
    if (tenths <= tenths_) return;
    tenths_ = tenths;
    const std::string rate = rate_text(done, total_, seconds);
    fmt::print(out_, "{}: {} of {} ({} %){}{}{}{}\n", label_, done, total_, 100 * done / total_,
               rate.empty() ? "" : ", ", rate, detail.empty() ? "" : ", ", detail);
    std::fflush(out_);
    return;
  }
  if (done < total_ && now - last_ < least_between_draws) return;
  last_ = now;
  std::string line = bar_text(label_, done, total_, seconds, detail);
  line.resize(std::min(line.size(), columns_of_terminal(out_) - 1));
  const std::size_t shown = line.size();
  // Blanks over what a longer line before has left.
  if (shown < width_) line.append(width_ - shown, ' ');
  width_ = shown;
  fmt::print(out_, "\r{}", line);
  std::fflush(out_);
}

std::string bar_text(const std::string& label, std::int64_t done, std::int64_t total, double seconds,
                     const std::string& detail) {
  const std::int64_t full = std::clamp<std::int64_t>(bar_cells * done / total, 0, bar_cells);
  const std::string rate = rate_text(done, total, seconds);
  return fmt::format("{}  [{}{}] {:3} %  {} / {}{}{}{}{}", label, std::string(static_cast<std::size_t>(full), '#'),
                     std::string(static_cast<std::size_t>(bar_cells - full), '-'), 100 * done / total, done, total,
                     rate.empty() ? "" : "  ", rate, detail.empty() ? "" : "  ", detail);
}

std::string rate_text(std::int64_t done, std::int64_t total, double seconds) {
  if (done <= 0 || !(seconds > 0)) return {};
  const double rate = static_cast<double>(done) / seconds;
  const std::string shown = rate >= 100 ? fmt::format("{:.0f}", rate) : fmt::format("{:.3g}", rate);
  if (done >= total) return fmt::format("{} a second, {} in all", shown, duration_text(seconds));
  return fmt::format("{} a second, {} left", shown, duration_text(static_cast<double>(total - done) / rate));
}

std::string duration_text(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (seconds > 1e9) return "years";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace cli
