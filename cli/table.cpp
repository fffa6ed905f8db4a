#include "table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "halocline/core/error.hpp"

namespace cli {
namespace {

/// Whether a cell looks like a number, perhaps with a unit.
bool numeric(const std::string& cell) { return !cell.empty() && (cell == "-" || (cell[0] >= '0' && cell[0] <= '9')); }

/// Three significant digits, never an exponent.
std::string three_digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 99.95 ? 0 : (size >= 9.995 ? 1 : 2));
}

}  // namespace

void Table::row(std::vector<std::string> cells) {
  if (cells.size() != header_.size()) {
    throw halocline::InternalError(
        fmt::format("a table row has {} cells; allowed is {}", cells.size(), header_.size()));
  }
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  const std::size_t shown = std::min(rows_.size(), limit_);
  std::vector<std::size_t> width;
  std::vector<bool> right;
  for (std::size_t c = 0; c < header_.size(); ++c) {
    width.push_back(header_[c].size());
    right.push_back(shown > 0);
    for (std::size_t r = 0; r < shown; ++r) {
      width[c] = std::max(width[c], rows_[r][c].size());
      right[c] = right[c] && numeric(rows_[r][c]);
    }
  }
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string one;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) one += "  ";
      one += right[c] ? fmt::format("{:>{}}", cells[c], width[c]) : fmt::format("{:<{}}", cells[c], width[c]);
    }
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  };
  line(header_);
  std::vector<std::string> rule;
  for (const std::size_t w : width) rule.push_back(std::string(w, '-'));
  line(rule);
  for (std::size_t r = 0; r < shown; ++r) line(rows_[r]);
  const std::size_t more = rows_.size() - shown + left_out_;
  if (more > 0) text += fmt::format("... and {} more; --json has all\n", more);
  return text;
}

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array units{"B", "KB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), units[unit]);
}

std::string seconds_text(double seconds) {
  if (seconds >= 1) return fmt::format("{} s", three_digits(seconds));
  if (seconds >= 1e-3) return fmt::format("{} ms", three_digits(seconds * 1e3));
  return fmt::format("{} us", three_digits(seconds * 1e6));
}

std::string count_text(double count) {
  if (count >= 1e9) return fmt::format("{} billion", three_digits(count / 1e9));
  if (count >= 1e6) return fmt::format("{} million", three_digits(count / 1e6));
  if (count >= 1e3) return fmt::format("{} thousand", three_digits(count / 1e3));
  return fmt::format("{:.0f}", count);
}

std::string plural(std::int64_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string share_text(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace cli
