// SPDX-License-Identifier: BSD-3-Clause
#include "machine/network/clusters.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace halocline::machine::network {
namespace {

/// Differences beyond it count as this one: an outlier is no more than a pair of another level.
constexpr double clip = 0.7;
/// How many other hosts' views a pair's own values count as much as: the ratio of what either tells at 10 % noise, of switches of a few hosts.
constexpr double own_weight = 6;

/// The value that a share of all pairs is below.
double quantile(const Matrix& matrix, double share) {
  std::vector<double> values;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = i + 1; j < matrix.size(); ++j) values.push_back(matrix(i, j));
  }
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void add_distance(const Matrix& of, Matrix& distance) {
  const double least = quantile(of, 0.05);
  const std::size_t n = of.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      double sum = own_weight * std::clamp(of(i, j) - least, 0.0, clip);
      for (std::size_t k = 0; k < n; ++k) {
        if (k != i && k != j) sum += std::min(std::abs(of(i, k) - of(j, k)), clip);
      }
      distance.set(i, j, distance(i, j) + sum);
    }
  }
}

class Clustering {
 public:
  Clustering(const Closeness& items, double tolerance)
      : items_(items), tolerance_(tolerance), cluster_(items.latency.size()) {
    const std::size_t n = cluster_.size();
    Matrix distance(n);
    add_distance(items.latency, distance);
    add_distance(items.slowness, distance);
    closest_ = {of_nearest(items.latency, distance), of_nearest(items.slowness, distance)};
    merges_ = average_linkage(std::move(distance));
  }

  std::vector<int> run() && {
    // The closest pairs are known better once there are clusters.
    for (int round = 0; round < 3; ++round) {
      count_ = 0;
      split(static_cast<int>(merges_.size()) - 1);
      refine();
      join_close();
      if (!update_closest()) break;
    }
    return numbered();
  }

 private:
  /// The median over items of the value of the nearest other.
  static double of_nearest(const Matrix& of, const Matrix& distance) {
    std::vector<double> values;
    for (std::size_t i = 0; i < of.size(); ++i) {
      std::size_t nearest = i == 0 ? 1 : 0;
      for (std::size_t j = 0; j < of.size(); ++j) {
        if (j != i && distance(i, j) < distance(i, nearest)) nearest = j;
      }
      values.push_back(of(i, nearest));
    }
    return median_of(std::move(values));
  }

  [[nodiscard]] const std::vector<int>& items_of(int merge) const {
    return merges_[static_cast<std::size_t>(merge)].items;
  }

  /// Medians over the pairs of two sets, beyond the closest pairs.
  struct Beyond {
    double latency = 0;
    double slowness = 0;
  };
  [[nodiscard]] Beyond beyond(const std::vector<int>& a, const std::vector<int>& b) const {
    std::vector<double> latency;
    std::vector<double> slowness;
    for (const int i : a) {
      for (const int j : b) {
        if (i == j) continue;
        latency.push_back(items_.latency(static_cast<std::size_t>(i), static_cast<std::size_t>(j)));
        slowness.push_back(items_.slowness(static_cast<std::size_t>(i), static_cast<std::size_t>(j)));
      }
    }
    return {median_of(std::move(latency)) - closest_[0], median_of(std::move(slowness)) - closest_[1]};
  }

  /// Whether two sets of items are as close as the closest pairs, on median.
  [[nodiscard]] bool close(const std::vector<int>& a, const std::vector<int>& b) const {
    const Beyond far = beyond(a, b);
    return far.latency <= tolerance_ && far.slowness <= tolerance_;
  }

  void split(int merge) {
    const Merge& one = merges_[static_cast<std::size_t>(merge)];
    if (one.left >= 0 && !close(items_of(one.left), items_of(one.right))) {
      split(one.left);
      split(one.right);
      return;
    }
    for (const int i : one.items) cluster_[static_cast<std::size_t>(i)] = count_;
    ++count_;
  }

  /// How far an item is from the others of a cluster: the sum of both medians; infinite if there are none.
  [[nodiscard]] double distance_to(std::size_t i, int cluster) const {
    std::vector<double> latency;
    std::vector<double> slowness;
    for (std::size_t j = 0; j < cluster_.size(); ++j) {
      if (j == i || cluster_[j] != cluster) continue;
      latency.push_back(items_.latency(i, j));
      slowness.push_back(items_.slowness(i, j));
    }
    if (latency.empty()) return INFINITY;
    return median_of(std::move(latency)) + median_of(std::move(slowness));
  }

  /// Moves items to the nearest cluster until none moves.
  void refine() {
    for (int round = 0; round < 10; ++round) {
      bool moved = false;
      for (std::size_t i = 0; i < cluster_.size(); ++i) {
        int best = cluster_[i];
        double least = distance_to(i, best);
        if (std::isinf(least)) continue;  // an item alone
        for (int c = 0; c < count_; ++c) {
          const double other = distance_to(i, c);
          if (other < least) {
            least = other;
            best = c;
          }
        }
        moved = moved || best != cluster_[i];
        cluster_[i] = best;
      }
      if (!moved) return;
    }
  }

  [[nodiscard]] std::vector<int> members(int cluster) const {
    std::vector<int> items;
    for (std::size_t i = 0; i < cluster_.size(); ++i) {
      if (cluster_[i] == cluster) items.push_back(static_cast<int>(i));
    }
    return items;
  }

  /// How far clusters of several items are from the nearest other such cluster, on median over clusters; 0 if there are fewer than two.
  [[nodiscard]] Beyond next_level() const {
    std::vector<std::vector<int>> large;
    for (int c = 0; c < count_; ++c) {
      if (auto items = members(c); items.size() > 1) large.push_back(std::move(items));
    }
    if (large.size() < 2) return {};
    std::vector<double> latency;
    std::vector<double> slowness;
    for (std::size_t a = 0; a < large.size(); ++a) {
      std::optional<Beyond> nearest;
      for (std::size_t b = 0; b < large.size(); ++b) {
        if (a == b) continue;
        const Beyond far = beyond(large[a], large[b]);
        if (!nearest || far.latency + far.slowness < nearest->latency + nearest->slowness) nearest = far;
      }
      latency.push_back(nearest->latency);
      slowness.push_back(nearest->slowness);
    }
    return {median_of(std::move(latency)), median_of(std::move(slowness))};
  }

  /// Joins clusters that are nearer to the closest pairs than to the next level: noise may have split off a few items. Only what differs between these two levels counts.
  void join_close() {
    const Beyond next = next_level();
    const double square = next.latency * next.latency + next.slowness * next.slowness;
    const bool known = square > tolerance_ * tolerance_;
    for (int a = 0; a < count_; ++a) {
      for (int b = a + 1; b < count_; ++b) {
        const std::vector<int> in_a = members(a);
        const std::vector<int> in_b = members(b);
        if (in_a.empty() || in_b.empty()) continue;
        const Beyond far = beyond(in_a, in_b);
        const bool nearer = known && far.latency * next.latency + far.slowness * next.slowness < square / 2;
        if (!nearer && !close(in_a, in_b)) continue;
        for (const int i : in_b) cluster_[static_cast<std::size_t>(i)] = a;
      }
    }
  }

  /// The medians within clusters in place of the first estimate. False if they are as before, or there are no pairs.
  bool update_closest() {
    std::vector<double> latency;
    std::vector<double> slowness;
    for (std::size_t i = 0; i < cluster_.size(); ++i) {
      for (std::size_t j = i + 1; j < cluster_.size(); ++j) {
        if (cluster_[i] != cluster_[j]) continue;
        latency.push_back(items_.latency(i, j));
        slowness.push_back(items_.slowness(i, j));
      }
    }
    if (latency.empty()) return false;
    const std::vector<double> now{median_of(std::move(latency)), median_of(std::move(slowness))};
    const bool changed = now != closest_;
    closest_ = now;
    return changed;
  }

  [[nodiscard]] std::vector<int> numbered() const {
    std::map<int, int> number;
    std::vector<int> result;
    for (const int c : cluster_) result.push_back(number.emplace(c, static_cast<int>(number.size())).first->second);
    return result;
  }

  const Closeness& items_;
  double tolerance_;
  std::vector<int> cluster_;
  int count_ = 0;
  std::vector<double> closest_;  ///< latency and slowness of pairs of one cluster
  std::vector<Merge> merges_;
};

}  // namespace

std::vector<int> clusters_of(const Closeness& items, double tolerance) {
  if (items.latency.size() < 2) return std::vector<int>(items.latency.size(), 0);
  return Clustering(items, tolerance).run();
}

}  // namespace halocline::machine::network
