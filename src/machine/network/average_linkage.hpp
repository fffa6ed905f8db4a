// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace halocline::machine::network {

/// A symmetric matrix of doubles.
class Matrix {
 public:
  explicit Matrix(std::size_t size, double value = 0) : size_(size), values_(size * size, value) {}
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] double operator()(std::size_t i, std::size_t j) const { return values_[i * size_ + j]; }
  void set(std::size_t i, std::size_t j, double value) { values_[i * size_ + j] = values_[j * size_ + i] = value; }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

/// A node of the tree of merges: a leaf is one item, other nodes join two earlier ones.
struct Merge {
  int left = -1;
  int right = -1;
  std::vector<int> items;
};

/// Average linkage: the first nodes are the items, the last one is all. Of equal distances, the pair with the smallest numbers. O(n^3) at worst, O(n^2) typically.
[[nodiscard]] std::vector<Merge> average_linkage(Matrix distance);

/// The mean of the two in the middle, or the one.
[[nodiscard]] double median_of(std::vector<double> values);

}  // namespace halocline::machine::network
