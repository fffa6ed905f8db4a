// SPDX-License-Identifier: BSD-3-Clause
#include "overlap/regions.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "core/round_up.hpp"
#include "halocline/error.hpp"

namespace halocline::overlap {
namespace {

/// What has to stay outside the interior at the lower and upper side of each dimension.
struct Shell {
  Vec3 lower;
  Vec3 upper;
};

Shell shell_of(const Stencil& stencil, const HaloWidth& halo, Update update) {
  Shell shell{stencil.lower(), stencil.upper()};
  if (update == Update::in_place) {
    // What is sent through the lower side fills a neighbour's upper halo, so it is as wide as that.
    for (int dim = 0; dim < 3; ++dim) {
      shell.lower[dim] = std::max(stencil.lower()[dim], halo.upper()[dim]);
      shell.upper[dim] = std::max(stencil.upper()[dim], halo.lower()[dim]);
    }
  }
  return shell;
}

}  // namespace

Box interior(const Box& owned, const Stencil& stencil, Update update) {
  return interior(owned, stencil, stencil, update);
}

Box interior(const Box& owned, const Stencil& stencil, const HaloWidth& halo, Update update) {
  const Shell shell = shell_of(stencil, halo, update);
  const Box inner{owned.lo + shell.lower, owned.hi - shell.upper};
  return inner.empty() ? Box{owned.lo, owned.lo} : inner;
}

Box whole_tiles(const Box& interior, const Box& owned, const Vec3& tile) {
  if (tile.x < 1 || tile.y < 1 || tile.z < 1) {
    throw InvalidArgument(fmt::format("a tile is {}; allowed are 1 or more cells in each dimension", to_string(tile)));
  }
  Box whole = interior;
  for (int dim = 0; dim < 3; ++dim) {
    const std::int64_t before = interior.lo[dim] - owned.lo[dim];
    const std::int64_t up_to = interior.hi[dim] - owned.lo[dim];
    whole.lo[dim] = owned.lo[dim] + round_up(before, tile[dim]);
    // The last tile of the owned box may have fewer cells.
    if (interior.hi[dim] < owned.hi[dim]) whole.hi[dim] = owned.lo[dim] + up_to / tile[dim] * tile[dim];
  }
  return whole.empty() ? Box{owned.lo, owned.lo} : whole;
}

std::vector<Box> boundary(const Box& owned, const Stencil& stencil, Update update) {
  return boundary(owned, interior(owned, stencil, update));
}

std::vector<Box> boundary(const Box& box, const Box& inner) {
  if (inner.empty()) return box.empty() ? std::vector<Box>{} : std::vector<Box>{box};
  std::vector<Box> boxes;
  Box rest = box;
  for (int dim = 2; dim >= 0; --dim) {
    Box below = rest;
    below.hi[dim] = inner.lo[dim];
    Box above = rest;
    above.lo[dim] = inner.hi[dim];
    for (const Box& part : {below, above}) {
      if (!part.empty()) boxes.push_back(part);
    }
    rest.lo[dim] = inner.lo[dim];
    rest.hi[dim] = inner.hi[dim];
  }
  return boxes;
}

std::vector<OpenBoundaryBox> open_boundary_boxes(const Box& owned, const Stencil& stencil, const Box& domain,
                                                 const std::array<bool, 3>& open) {
  std::vector<OpenBoundaryBox> boxes;
  for (int dim = 0; dim < 3; ++dim) {
    // Dimensions before this one are full, inside by the exchange and outside by the boxes before; in those
    // after it only what the exchange filled is there, which is all but what lies beyond an open end.
    Box span = owned.grown(stencil.lower(), stencil.upper());
    for (int later = dim + 1; later < 3; ++later) {
      if (!open[static_cast<std::size_t>(later)]) continue;
      span.lo[later] = std::max(span.lo[later], domain.lo[later]);
      span.hi[later] = std::min(span.hi[later], domain.hi[later]);
    }
    if (!open[static_cast<std::size_t>(dim)]) continue;
    if (owned.lo[dim] == domain.lo[dim] && stencil.lower()[dim] > 0) {
      Box box = span;
      box.hi[dim] = owned.lo[dim];
      boxes.push_back({static_cast<Dim>(dim), Side::lower, box});
    }
    if (owned.hi[dim] == domain.hi[dim] && stencil.upper()[dim] > 0) {
      Box box = span;
      box.lo[dim] = owned.hi[dim];
      boxes.push_back({static_cast<Dim>(dim), Side::upper, box});
    }
  }
  return boxes;
}

}  // namespace halocline::overlap
