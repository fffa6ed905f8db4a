// SPDX-License-Identifier: BSD-3-Clause
#include "machine/network/average_linkage.hpp"

#include <algorithm>
#include <utility>

#include "halocline/error.hpp"

namespace halocline::machine::network {
namespace {

/// Active clusters and the nearest other of each.
class Linkage {
 public:
  explicit Linkage(Matrix distance)
      : distance_(std::move(distance)), node_(distance_.size()), nearest_(distance_.size()) {
    for (std::size_t i = 0; i < distance_.size(); ++i) {
      active_.push_back(i);
      node_[i] = static_cast<int>(i);
      merges_.push_back({-1, -1, {static_cast<int>(i)}});
    }
    for (const std::size_t i : active_) find_nearest(i);
  }

  std::vector<Merge> run() && {
    while (active_.size() > 1) {
      std::size_t a = active_.front();
      for (const std::size_t i : active_) {
        if (distance_(i, nearest_[i]) < distance_(a, nearest_[a])) a = i;
      }
      join(std::min(a, nearest_[a]), std::max(a, nearest_[a]));
    }
    return std::move(merges_);
  }

 private:
  void find_nearest(std::size_t i) {
    bool any = false;
    for (const std::size_t j : active_) {
      if (j == i || (any && distance_(i, j) >= distance_(i, nearest_[i]))) continue;
      nearest_[i] = j;
      any = true;
    }
  }

  void join(std::size_t a, std::size_t b) {
    Merge merge{node_[a], node_[b], merges_[static_cast<std::size_t>(node_[a])].items};
    const auto& others = merges_[static_cast<std::size_t>(node_[b])].items;
    const auto in_a = static_cast<double>(merge.items.size());
    const auto in_b = static_cast<double>(others.size());
    merge.items.insert(merge.items.end(), others.begin(), others.end());
    std::erase(active_, b);
    for (const std::size_t i : active_) {
      if (i != a) distance_.set(a, i, (in_a * distance_(a, i) + in_b * distance_(b, i)) / (in_a + in_b));
    }
    node_[a] = static_cast<int>(merges_.size());
    merges_.push_back(std::move(merge));
    for (const std::size_t i : active_) {
      if (i == a || nearest_[i] == a || nearest_[i] == b) find_nearest(i);
    }
  }

  Matrix distance_;
  std::vector<int> node_;  ///< of each active cluster
  std::vector<std::size_t> nearest_;
  std::vector<std::size_t> active_;
  std::vector<Merge> merges_;
};

}  // namespace

std::vector<Merge> average_linkage(Matrix distance) { return Linkage(std::move(distance)).run(); }

double median_of(std::vector<double> values) {
  if (values.empty()) throw InternalError("the median of nothing");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace halocline::machine::network
