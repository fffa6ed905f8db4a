// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cli {

/// What a cell measures: the table chooses its unit, one for all of a column.
enum class Quantity : int { none, bytes, bytes_per_second, seconds };

/// A cell: text as it is, or an amount of something.
struct Cell {
  Cell(std::string what) : text(std::move(what)) {}  // NOLINT(google-explicit-constructor): rows are lists of texts
  Cell(const char* what) : text(what) {}             // NOLINT(google-explicit-constructor)
  Cell(Quantity of, double amount) : quantity(of), value(amount) {}
  std::string text;
  Quantity quantity = Quantity::none;
  double value = 0;
};
[[nodiscard]] inline Cell bytes_cell(std::int64_t bytes) { return {Quantity::bytes, static_cast<double>(bytes)}; }
[[nodiscard]] inline Cell rate_cell(double bytes_per_second) { return {Quantity::bytes_per_second, bytes_per_second}; }
[[nodiscard]] inline Cell seconds_cell(double seconds) { return {Quantity::seconds, seconds}; }

/// A table for people: columns of numbers to the right, others to the left.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
  /// Throws InternalError unless there are as many cells as in the header.
  void row(std::vector<Cell> cells);
  /// The same unit in all columns that hold the same quantity.
  void same_units() { same_units_ = true; }
  /// Rows beyond this many are counted, not shown.
  void limit(std::size_t rows) { limit_ = rows; }
  /// The table reports this number of further rows, which were not made.
  void leave_out(std::size_t rows) { left_out_ = rows; }
  /// Ends with a newline. Empty without rows but for the header.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<Cell>> rows_;
  std::size_t left_out_ = 0;
  std::size_t limit_ = static_cast<std::size_t>(-1);
  bool same_units_ = false;
};

/// "76.4 MB", "512 B": powers of 1000.
[[nodiscard]] std::string bytes_text(std::int64_t bytes);
/// "1.53 ms", "28.0 us"
[[nodiscard]] std::string seconds_text(double seconds);
/// "412 million", "1.3 billion"
[[nodiscard]] std::string count_text(double count);
/// "1 rank", "2 ranks"
[[nodiscard]] std::string plural(std::int64_t count, const std::string& what);
/// part of whole: "12.5 %"; "-" where whole is 0
[[nodiscard]] std::string share_text(std::int64_t part, std::int64_t whole);

}  // namespace cli
