// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "machine/network/average_linkage.hpp"

namespace halocline::machine::network {

/// How far apart items are, in logarithms: of latency, and of bandwidth with the sign changed. Larger is farther.
struct Closeness {
  Matrix latency;
  Matrix slowness;
};

/// The clusters of items, by item, numbered in the order of their first items; see infer_network(). tolerance: how far beyond the closest pairs, in logarithms, pairs
/// of one cluster are at most, on average.
[[nodiscard]] std::vector<int> clusters_of(const Closeness& items, double tolerance);

}  // namespace halocline::machine::network
