// SPDX-License-Identifier: BSD-3-Clause
#include "partition/shared_cells.hpp"

namespace halocline::partition {
namespace {

std::size_t holder_of(std::span<const Segment> segments, std::size_t place) {
  const Segment& held = segments[place];
  std::size_t holder = place;
  if (!held.all_components) return holder;
  std::int64_t most = held.source.volume();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& other = segments[i];
    const std::int64_t cells = other.source.volume();
    if (cells < most || (cells == most && i >= holder)) continue;
    if (other.field != held.field || !other.all_components || !other.source.contains(held.source)) continue;
    holder = i;
    most = cells;
  }
  return holder;
}

}  // namespace

std::vector<std::size_t> holders(std::span<const Segment> segments) {
  std::vector<std::size_t> all(segments.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = holder_of(segments, i);
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
