// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "machine/found_network.hpp"

namespace halocline::machine {

/// A message between two hosts while no other is under way.
struct PairMeasurement {
  int from = 0;  ///< position in the list of the hosts
  int to = 0;
  double latency = 0;    ///< seconds of the smallest message
  double bandwidth = 0;  ///< bytes a second of a large one
};

/// Hosts in clusters: pairs within a cluster are closer than pairs of any two.
struct InferredNetwork {
  std::vector<int> cluster;  ///< by host; numbered from 0 on in the order of their first hosts
  int clusters = 0;
  /// By two clusters, row-major: medians over pairs of their hosts; on the diagonal within the cluster, or of all clusters where one has a single host.
  std::vector<LinkRate> rates;
  /// Clusters joined again, by cluster: from the second level up, the last with two groups or more. Empty if the latencies between clusters are not these of a tree.
  std::vector<std::vector<int>> groups;

  /// The median of the two hosts' clusters.
  [[nodiscard]] const LinkRate& between(int a, int b) const;
};

/// Finds clusters by average linkage (UPGMA; Sokal and Michener, 1958; updated as by Lance and Williams, 1967) of a distance that counts a pair's own logarithms of latency and bandwidth and how
/// differently its two hosts see all others, both clipped against outliers. The tree is cut where pairs take 1.2 times as long, or have 1 / 1.2 of the bandwidth, as the closest; then hosts move to the
/// cluster with the smallest median until none does. Deterministic.
///
/// Limits: pairs that are measured one by one do not show what links carry together. Levels that differ by less than a factor of 1.4 are not separated reliably at
/// 10 % noise. A torus or dragonfly gives the hosts of each router, and rates between routers, but not its shape.
///
/// Throws InvalidArgument if there are fewer than 2 or more than 1024 hosts, a pair has no measurement in either direction, or a value is not above 0.
[[nodiscard]] InferredNetwork infer_network(std::span<const std::string> hosts, std::span<const PairMeasurement> pairs);

/// As a tree of switches: one for each cluster, and for each group. Uplinks have the rate between clusters if it is below the rate within one, otherwise none.
[[nodiscard]] FoundNetwork network_of(std::span<const std::string> hosts, const InferredNetwork& inferred);

}  // namespace halocline::machine
