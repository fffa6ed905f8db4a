// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace halocline::mapping::detail {

/// A list for each process, all in one block of memory. Rows are written one after the other.
template <typename Entry>
class Rows {
 public:
  Rows(std::size_t rows, std::size_t entries) {
    begin_.reserve(rows + 1);
    begin_.push_back(0);
    entries_.reserve(entries);
  }
  /// To the row that is being written.
  void add(const Entry& entry) { entries_.push_back(entry); }
  void end_row() { begin_.push_back(entries_.size()); }

  [[nodiscard]] std::size_t size() const { return begin_.size() - 1; }
  /// Of all rows.
  [[nodiscard]] std::size_t entries() const { return entries_.size(); }
  [[nodiscard]] std::span<const Entry> operator[](std::size_t row) const {
    return {entries_.data() + begin_[row], begin_[row + 1] - begin_[row]};
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<Entry> entries_;
};

}  // namespace halocline::mapping::detail
