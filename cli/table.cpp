// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "fold.hpp"
#include "halocline/error.hpp"

namespace cli {
namespace {

/// Space for text that continues in the lines below.
constexpr std::size_t least_columns = 16;

/// Whether a cell looks like a number, perhaps with a unit.
bool numeric(const std::string& cell) { return !cell.empty() && (cell == "-" || (cell[0] >= '0' && cell[0] <= '9')); }

/// Three significant digits, never an exponent.
std::string three_digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 99.95 ? 0 : (size >= 9.995 ? 1 : 2));
}

struct Unit {
  double size;
  const char* name;
};
constexpr std::array byte_units{Unit{1, "B"},    Unit{1e3, "KB"},  Unit{1e6, "MB"},
                                Unit{1e9, "GB"}, Unit{1e12, "TB"}, Unit{1e15, "PB"}};
constexpr std::array rate_units{Unit{1, "B/s"},    Unit{1e3, "KB/s"},  Unit{1e6, "MB/s"},
                                Unit{1e9, "GB/s"}, Unit{1e12, "TB/s"}, Unit{1e15, "PB/s"}};
constexpr std::array second_units{Unit{1e-6, "us"}, Unit{1e-3, "ms"}, Unit{1, "s"}};

std::span<const Unit> units_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::none: return {};
    case Quantity::bytes: return byte_units;
    case Quantity::bytes_per_second: return rate_units;
    case Quantity::seconds: return second_units;
  }
  throw halocline::InternalError("a quantity without units");
}

/// The amounts of a quantity that share a unit.
struct Range {
  double least = std::numeric_limits<double>::infinity();  ///< of those above 0
  double most = 0;
  void add(double value) {
    most = std::max(most, value);
    if (value > 0) least = std::min(least, value);
  }
};

/// The unit that suits the largest one; a smaller one where the smallest would be below a tenth of it, as long as the
/// largest has at most five digits.
const Unit& unit_for(std::span<const Unit> units, const Range& range) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && range.most >= 0.9995 * units[unit + 1].size) ++unit;
  while (unit > 0 && range.least < 0.1 * units[unit].size && range.most < 1e5 * units[unit - 1].size) --unit;
  return units[unit];
}

/// Three significant digits, or all of a whole number, never an exponent; whole bytes.
std::string amount_text(double value, const Unit& unit) {
  const double amount = value / unit.size;
  if (value == 0 || &unit == &byte_units.front()) return fmt::format("{:.0f} {}", amount, unit.name);
  if (amount >= 0.995) return fmt::format("{} {}", three_digits(amount), unit.name);
  const int decimals = std::min(2 - static_cast<int>(std::floor(std::log10(amount))), 6);
  return fmt::format("{:.{}f} {}", amount, decimals, unit.name);
}

using Rows = std::span<const std::vector<Cell>>;

Range range_of(Rows rows, std::size_t column, Quantity quantity) {
  Range range;
  for (const auto& row : rows) {
    if (row[column].quantity == quantity) range.add(row[column].value);
  }
  return range;
}

/// All cells as text, each amount with the unit of its column, or of all columns.
std::vector<std::vector<std::string>> texts_of(Rows rows, std::size_t columns, bool same_units) {
  const auto range_for = [&](std::size_t column, Quantity quantity) {
    if (!same_units) return range_of(rows, column, quantity);
    Range all;
    for (std::size_t c = 0; c < columns; ++c) {
      const Range one = range_of(rows, c, quantity);
      all.least = std::min(all.least, one.least);
      all.most = std::max(all.most, one.most);
    }
    return all;
  };
  std::vector<std::vector<std::string>> texts(rows.size());
  for (std::size_t c = 0; c < columns; ++c) {
    std::array<const Unit*, 4> units{};  // by quantity
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Cell& cell = rows[r][c];
      if (cell.quantity == Quantity::none) {
        texts[r].push_back(cell.text);
        continue;
      }
      const Unit*& unit = units[static_cast<std::size_t>(cell.quantity)];
      if (unit == nullptr) unit = &unit_for(units_of(cell.quantity), range_for(c, cell.quantity));
      texts[r].push_back(amount_text(cell.value, *unit));
    }
  }
  return texts;
}

}  // namespace

void Table::row(std::vector<Cell> cells) {
  if (cells.size() != header_.size()) {
    throw halocline::InternalError(
        fmt::format("a table row has {} cells; allowed is {}", cells.size(), header_.size()));
  }
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  const std::size_t shown = std::min(rows_.size(), limit_);
  const auto rows = texts_of(std::span(rows_).first(shown), header_.size(), same_units_);
  std::vector<std::size_t> width;
  std::vector<bool> right;
  for (std::size_t c = 0; c < header_.size(); ++c) {
    width.push_back(columns_of(header_[c]));
    right.push_back(shown > 0);
    for (std::size_t r = 0; r < shown; ++r) {
      width[c] = std::max(width[c], columns_of(rows[r][c]));
      right[c] = right[c] && numeric(rows[r][c]);
    }
  }
  // Text in the last column continues below itself if there is space for some words.
  std::size_t last_begin = 0;
  for (std::size_t c = 0; c + 1 < width.size(); ++c) last_begin += width[c] + 2;
  const bool text_goes_on = !right.back() && last_begin + least_columns <= terminal_columns;
  if (text_goes_on) width.back() = std::min(width.back(), terminal_columns - last_begin);
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string one;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) one += "  ";
      const std::size_t columns = columns_of(cells[c]);
      const std::string space(width[c] - std::min(width[c], columns), ' ');
      one += right[c] ? space + cells[c] : cells[c] + space;
    }
    one.erase(one.find_last_not_of(' ') + 1);
    text += (text_goes_on ? folded_line(one, last_begin) : one) + "\n";
  };
  line(header_);
  std::vector<std::string> rule;
  for (const std::size_t w : width) rule.push_back(std::string(w, '-'));
  line(rule);
  for (const auto& row : rows) line(row);
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
