// SPDX-License-Identifier: BSD-3-Clause
#include "overlap/boundary_segments.hpp"

namespace halocline::overlap {
namespace {

/// What cells of a box read at the offsets that lie in a direction: below, above, or level with them in each dimension.
Box read_towards(Direction d, const Box& box, const Stencil& stencil) {
  Box read = box;
  for (int dim = 0; dim < 3; ++dim) {
    if (d[dim] < 0) {
      read.lo[dim] = box.lo[dim] - stencil.lower()[dim];
      read.hi[dim] = box.hi[dim] - 1;
    } else if (d[dim] > 0) {
      read.lo[dim] = box.lo[dim] + 1;
      read.hi[dim] = box.hi[dim] + stencil.upper()[dim];
    }
  }
  return read;
}

/// Whether a box has cells on a side of `owned`.
bool touches(const Box& box, const Box& owned, Direction side) {
  for (int dim = 0; dim < 3; ++dim) {
    const bool reaches = side[dim] < 0   ? box.lo[dim] < owned.lo[dim]
                         : side[dim] > 0 ? box.hi[dim] > owned.hi[dim]
                                         : box.lo[dim] < owned.hi[dim] && box.hi[dim] > owned.lo[dim];
    if (!reaches) return false;
  }
  return true;
}

/// The part of a box that lies in a direction from an inner one.
Box part_towards(Direction d, const Box& box, const Box& inner) {
  Box part = inner;
  for (int dim = 0; dim < 3; ++dim) {
    if (d[dim] < 0) {
      part.lo[dim] = box.lo[dim];
      part.hi[dim] = inner.lo[dim];
    } else if (d[dim] > 0) {
      part.lo[dim] = inner.hi[dim];
      part.hi[dim] = box.hi[dim];
    }
  }
  return part;
}

}  // namespace

Directions sides_read(const Box& box, const Box& owned, const Stencil& stencil) {
  Directions sides;
  if (box.empty()) return sides;
  const auto add = [&](const Box& read) {
    for (const Direction side : all_directions) {
      if (touches(read, owned, side)) sides.set(static_cast<std::size_t>(side.index()));
    }
  };
  add(box);
  for (const Direction d : all_directions) {
    if (stencil.reads(d)) add(read_towards(d, box, stencil));
  }
  return sides;
}

std::vector<BoundarySegment> boundary_segments(const Box& box, const Box& interior, const Box& owned,
                                               const Stencil& stencil) {
  std::vector<BoundarySegment> segments;
  const auto add = [&](const Box& part) {
    if (!part.empty()) segments.push_back({part, sides_read(part, owned, stencil)});
  };
  if (interior.empty()) {
    add(box);
    return segments;
  }
  for (const Direction d : all_directions) add(part_towards(d, box, interior));
  return segments;
}

}  // namespace halocline::overlap
