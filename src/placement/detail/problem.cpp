// SPDX-License-Identifier: BSD-3-Clause
#include "placement/detail/problem.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "halocline/error.hpp"
#include "machine/paths.hpp"

namespace halocline::placement::detail {
namespace {

__extension__ typedef __int128 Int128;

/// Calls f(i, j, bytes) for the bytes that part i of a node sends to part j of the same node.
template <typename F>
void for_each_flow_within(const partition::Geometry& geometry, std::int64_t node_part, F&& f) {
  const std::int64_t n = geometry.partition.devices_per_node();
  const std::int64_t first = node_part * n;
  for (std::int64_t i = 0; i < n; ++i) {
    for (const partition::Flow& flow : partition::outgoing_flows(geometry, subdomain_id(first + i))) {
      const std::int64_t j = flow.to.value() - first;
      if (j >= 0 && j < n) f(i, j, flow.bytes);
    }
  }
}

/// The largest power of two, up to 2^20, of which squares can be summed terms times in 61 bits.
std::int64_t scale_for(std::int64_t terms) {
  const int bits = (61 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(terms)))) / 2;
  return std::int64_t{1} << std::clamp(bits, 1, 20);
}

}  // namespace

ProblemMaker::ProblemMaker(const partition::Geometry& geometry, const machine::MachineMap& map,
                           std::vector<Layout> layouts)
    : geometry_(geometry), kinds_(geometry), layouts_(std::move(layouts)) {
  const std::int64_t n = geometry.partition.devices_per_node();
  scale_ = scale_for(geometry.partition.size() * n);
  std::int64_t all_bytes = 0;
  std::int64_t messages = 0;
  for (const auto& [node_part, count] : kinds_.all()) {
    for_each_flow_within(geometry, node_part, [&](std::int64_t, std::int64_t, std::int64_t bytes) {
      largest_flow_ = std::max(largest_flow_, bytes);
      all_bytes += bytes * count;
      messages += count;
    });
  }
  // The time of one byte in a message of mean size. Paths with the same bandwidth differ by their latency, as on nodes
  // whose narrowest link is the first one.
  const double mean_bytes = messages == 0 ? 1 : static_cast<double>(all_bytes) / static_cast<double>(messages);
  device_count_.resize(map.types.size());
  std::vector<bool> used(map.types.size());
  for (const Layout& layout : layouts_) used[static_cast<std::size_t>(layout.type)] = true;
  std::vector<double> reciprocals;
  for (std::size_t type = 0; type < map.types.size(); ++type) {
    if (!used[type]) continue;
    device_count_[type] = map.types[type].device_count();
    for (const machine::Path& path : best_paths(map.types[type])) {
      reciprocals.push_back(1.0 / path.bandwidth + path.latency / mean_bytes);
    }
  }
  const std::vector<std::int64_t> all = scaled(reciprocals, scale_);
  auto next = all.begin();
  distances_.resize(map.types.size());
  for (std::size_t type = 0; type < map.types.size(); ++type) {
    const std::ptrdiff_t entries = std::ptrdiff_t{device_count_[type]} * device_count_[type];
    distances_[type].assign(next, next + entries);
    next += entries;
  }
}

std::vector<std::int64_t> ProblemMaker::flow(std::size_t kind) const {
  const std::int64_t n = geometry_.partition.devices_per_node();
  std::vector<std::int64_t> matrix(static_cast<std::size_t>(n * n));
  for_each_flow_within(geometry_, kinds_.all()[kind].node_part,
                       [&](std::int64_t i, std::int64_t j, std::int64_t bytes) {
                         const Int128 rounded = (Int128{bytes} * scale_ + largest_flow_ / 2) / largest_flow_;
                         matrix[static_cast<std::size_t>(i * n + j)] = static_cast<std::int64_t>(rounded);
                       });
  return matrix;
}

std::vector<std::int64_t> ProblemMaker::distance(std::size_t position) const {
  const Layout& layout = layouts_[position];
  const auto type = static_cast<std::size_t>(layout.type);
  const auto count = static_cast<std::size_t>(device_count_[type]);
  std::vector<std::int64_t> matrix;
  matrix.reserve(layout.devices.size() * layout.devices.size());
  for (const device_id from : layout.devices) {
    for (const device_id to : layout.devices) {
      matrix.push_back(distances_[type][from.index() * count + to.index()]);
    }
  }
  return matrix;
}

}  // namespace halocline::placement::detail
