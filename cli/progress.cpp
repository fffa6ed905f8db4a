// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/clock.hpp"

namespace cli {
namespace {

constexpr std::int64_t bar_cells = 30;
constexpr std::int64_t least_ns_between_draws = 100'000'000;

}  // namespace

ProgressBar::ProgressBar(std::string label, std::int64_t total, ProgressStyle style, std::FILE* out)
    : label_(std::move(label)), total_(std::max<std::int64_t>(total, 1)), style_(style), out_(out) {
  if (style_ == ProgressStyle::automatic) {
    style_ = isatty(fileno(out_)) == 1 ? ProgressStyle::bar : ProgressStyle::lines;
  }
}

ProgressBar::~ProgressBar() {
  if (style_ == ProgressStyle::bar && width_ > 0) std::fputc('\n', out_);
}

void ProgressBar::update(std::int64_t done, const std::string& detail) {
  if (style_ == ProgressStyle::off) return;
  if (style_ == ProgressStyle::lines) {
    const std::int64_t tenths = 10 * done / total_;
    if (tenths <= tenths_) return;
    tenths_ = tenths;
    fmt::print(out_, "{}: {} of {} ({} %){}{}\n", label_, done, total_, 100 * done / total_, detail.empty() ? "" : ", ",
               detail);
    std::fflush(out_);
    return;
  }
  const std::int64_t now = halocline::Clock::steady().now().count();
  if (last_ns_ >= 0 && done < total_ && now - last_ns_ < least_ns_between_draws) return;
  last_ns_ = now;
  std::string line = bar_text(label_, done, total_, detail);
  const std::size_t shown = line.size();
  // Blanks over what a longer line before has left.
  if (shown < width_) line.append(width_ - shown, ' ');
  width_ = shown;
  fmt::print(out_, "\r{}", line);
  std::fflush(out_);
}

std::string bar_text(const std::string& label, std::int64_t done, std::int64_t total, const std::string& detail) {
  const std::int64_t full = std::clamp<std::int64_t>(bar_cells * done / total, 0, bar_cells);
  return fmt::format("{}  [{}{}] {:3} %  {} / {}{}{}", label, std::string(static_cast<std::size_t>(full), '#'),
                     std::string(static_cast<std::size_t>(bar_cells - full), '-'), 100 * done / total, done, total,
                     detail.empty() ? "" : "  ", detail);
}

}  // namespace cli
