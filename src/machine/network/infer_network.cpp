// SPDX-License-Identifier: BSD-3-Clause
#include "machine/infer_network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "halocline/error.hpp"
#include "machine/network/clusters.hpp"

namespace halocline::machine {
namespace {

using network::Closeness;
using network::Matrix;
using network::median_of;

constexpr std::size_t most_hosts = 1024;
/// Half way, in logarithms, to a level that differs by a factor of 1.4.
constexpr double tolerance = 0.18;
/// The same between clusters, whose medians are less noisy.
constexpr double tolerance_of_groups = 0.12;

struct Medians {
  Matrix latency;
  Matrix bandwidth;
};

Medians medians_of(std::span<const std::string> hosts, std::span<const PairMeasurement> pairs) {
  const std::size_t n = hosts.size();
  std::vector<std::vector<double>> latency(n * n);
  std::vector<std::vector<double>> bandwidth(n * n);
  for (const PairMeasurement& pair : pairs) {
    const auto [low, high] = std::minmax(pair.from, pair.to);
    if (low < 0 || std::cmp_greater_equal(high, n) || low == high) {
      throw InvalidArgument(
          fmt::format("a pair of hosts {} and {}; allowed are two of 0 to {}", pair.from, pair.to, n - 1));
    }
    if (!(pair.latency > 0 && pair.bandwidth > 0 && std::isfinite(pair.latency) && std::isfinite(pair.bandwidth))) {
      throw InvalidArgument(fmt::format("'{}' to '{}' has {} s and {} bytes/s; allowed are finite numbers above 0",
                                        hosts[static_cast<std::size_t>(pair.from)],
                                        hosts[static_cast<std::size_t>(pair.to)], pair.latency, pair.bandwidth));
    }
    const std::size_t at = static_cast<std::size_t>(low) * n + static_cast<std::size_t>(high);
    latency[at].push_back(pair.latency);
    bandwidth[at].push_back(pair.bandwidth);
  }
  Medians medians{Matrix(n), Matrix(n)};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (latency[i * n + j].empty())
        throw InvalidArgument(fmt::format("no measurement between '{}' and '{}'; allowed is one or more for each pair",
                                          hosts[i], hosts[j]));
      medians.latency.set(i, j, median_of(std::move(latency[i * n + j])));
      medians.bandwidth.set(i, j, median_of(std::move(bandwidth[i * n + j])));
    }
  }
  return medians;
}

Closeness closeness_of(const Medians& medians) {
  const std::size_t n = medians.latency.size();
  Closeness closeness{Matrix(n), Matrix(n)};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      closeness.latency.set(i, j, std::log(medians.latency(i, j)));
      closeness.slowness.set(i, j, -std::log(medians.bandwidth(i, j)));
    }
  }
  return closeness;
}

/// Medians between clusters; the diagonal is within them, 0 where one has a single item.
Medians medians_between(const Medians& items, const std::vector<int>& cluster, int clusters) {
  const auto count = static_cast<std::size_t>(clusters);
  std::vector<std::vector<double>> latency(count * count);
  std::vector<std::vector<double>> bandwidth(count * count);
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    for (std::size_t j = i + 1; j < cluster.size(); ++j) {
      const auto [low, high] = std::minmax(cluster[i], cluster[j]);
      const std::size_t at = static_cast<std::size_t>(low) * count + static_cast<std::size_t>(high);
      latency[at].push_back(items.latency(i, j));
      bandwidth[at].push_back(items.bandwidth(i, j));
    }
  }
  Medians medians{Matrix(count), Matrix(count)};
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a; b < count; ++b) {
      if (latency[a * count + b].empty()) continue;
      medians.latency.set(a, b, median_of(std::move(latency[a * count + b])));
      medians.bandwidth.set(a, b, median_of(std::move(bandwidth[a * count + b])));
    }
  }
  return medians;
}

int count_of(const std::vector<int>& cluster) { return *std::ranges::max_element(cluster) + 1; }

/// Whether all pairs of one group are closer than all pairs of two, but for a twentieth: as in a tree.
bool is_tree_like(const Medians& items, const std::vector<int>& group) {
  std::vector<double> within;
  std::vector<double> across;
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (std::size_t j = i + 1; j < group.size(); ++j)
      (group[i] == group[j] ? within : across).push_back(items.latency(i, j));
  }
  if (within.empty() || across.empty()) return true;
  const double limit = std::sqrt(median_of(within) * median_of(across));
  const auto wrong = std::ranges::count_if(within, [=](double l) { return l > limit; }) +
                     std::ranges::count_if(across, [=](double l) { return l <= limit; });
  const auto [least, most] = std::ranges::minmax(across);
  return 20 * wrong <= std::ssize(within) + std::ssize(across) && most < 1.3 * least;
}

}  // namespace

const LinkRate& InferredNetwork::between(int a, int b) const {
  const int row = cluster.at(static_cast<std::size_t>(a));
  return rates.at(static_cast<std::size_t>(row * clusters + cluster.at(static_cast<std::size_t>(b))));
}

InferredNetwork infer_network(std::span<const std::string> hosts, std::span<const PairMeasurement> pairs) {
  if (hosts.size() < 2 || hosts.size() > most_hosts) {
    throw InvalidArgument(fmt::format("{} hosts; allowed are 2 to {}", hosts.size(), most_hosts));
  }
  const Medians of_hosts = medians_of(hosts, pairs);
  InferredNetwork found;
  found.cluster = network::clusters_of(closeness_of(of_hosts), tolerance);
  found.clusters = count_of(found.cluster);
  Medians between = medians_between(of_hosts, found.cluster, found.clusters);

  std::vector<double> latency;
  std::vector<double> bandwidth;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (std::size_t j = i + 1; j < hosts.size(); ++j) {
      if (found.cluster[i] != found.cluster[j] && found.clusters < std::ssize(hosts)) continue;
      latency.push_back(of_hosts.latency(i, j));
      bandwidth.push_back(of_hosts.bandwidth(i, j));
    }
  }
  const LinkRate within{median_of(std::move(bandwidth)), median_of(std::move(latency))};
  for (std::size_t a = 0; a < between.latency.size(); ++a) {
    for (std::size_t b = 0; b < between.latency.size(); ++b) {
      const LinkRate rate{between.bandwidth(a, b), between.latency(a, b)};
      found.rates.push_back(a == b && rate.bandwidth == 0 ? within : rate);
    }
  }

  // Groups of clusters, groups of groups.
  std::vector<int> top(static_cast<std::size_t>(found.clusters));
  for (std::size_t c = 0; c < top.size(); ++c) top[c] = static_cast<int>(c);
  while (between.latency.size() > 2) {
    const std::vector<int> group = network::clusters_of(closeness_of(between), tolerance_of_groups);
    const int groups = count_of(group);
    if (!is_tree_like(between, group)) {
      found.groups.clear();
      break;
    }
    if (groups == 1 || std::cmp_equal(groups, group.size())) break;
    for (int& t : top) t = group[static_cast<std::size_t>(t)];
    found.groups.push_back(top);
    between = medians_between(between, group, groups);
  }
  return found;
}

}  // namespace halocline::machine
