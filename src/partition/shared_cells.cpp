// SPDX-License-Identifier: BSD-3-Clause
#include "partition/shared_cells.hpp"

#include <algorithm>
#include <iterator>

namespace halocline::partition {
namespace {

/// The holder of one of the segments of a field.
std::size_t holder_of(std::span<const Segment> segments, std::size_t held) {
  std::size_t holder = held;
  std::int64_t most = segments[held].source.volume();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::int64_t cells = segments[i].source.volume();
    if (cells < most || (cells == most && i >= holder)) continue;
    if (!segments[i].all_components || !segments[i].source.contains(segments[held].source)) continue;
    holder = i;
    most = cells;
  }
  return holder;
}

}  // namespace

std::vector<std::size_t> holders(std::span<const Segment> segments) {
  std::vector<std::size_t> all;
  all.reserve(segments.size());
  while (all.size() < segments.size()) {
    const std::size_t first = all.size();
    const auto rest = segments.subspan(first);
    const auto end = std::ranges::find_if(rest, [&](const Segment& one) { return one.field != rest.front().field; });
    const auto of_field = rest.first(static_cast<std::size_t>(std::distance(rest.begin(), end)));
    for (std::size_t i = 0; i < of_field.size(); ++i) {
      all.push_back(first + (of_field[i].all_components ? holder_of(of_field, i) : i));
    }
  }
  return all;
}

bool may_share_cells(const Geometry& geometry) {
  const Vec3 grid = geometry.partition.grid();
  for (int dim = 0; dim < 3; ++dim) {
    if (grid[dim] <= 2 && geometry.boundaries[static_cast<std::size_t>(dim)] != Boundary::open) return true;
  }
  return false;
}

std::int64_t bytes_once(const Message& message) {
  const std::vector<std::size_t> holder = holders(message.segments);
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < holder.size(); ++i) bytes += holder[i] == i ? message.segments[i].bytes : 0;
  return bytes;
}

}  // namespace halocline::partition
