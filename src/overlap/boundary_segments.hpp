// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "halocline/box.hpp"
#include "halocline/direction.hpp"
#include "halocline/stencil.hpp"

namespace halocline::overlap {

/// On which sides of a subdomain lie the halo cells that an update of a box reads: of each cell those beyond its faces, as far as
/// the radius says, and those beyond its edges and corners that the stencil has on. `owned` is the subdomain's box; the updated one
/// may reach into its halo.
[[nodiscard]] Directions sides_read(const Box& box, const Box& owned, const Stencil& stencil);

/// A part of what surrounds an interior, and the sides whose halos it cannot be updated without.
struct BoundarySegment {
  Box box;
  Directions needs;
};

/// The rest of a box around an interior, cut by the interior's planes: 26 segments at most, one a direction, by its index; a
/// segment towards a face needs no more than that side, one towards an edge or a corner what lies around it. One segment, the
/// whole box, where the interior is empty. They are disjoint, and together what regions.hpp calls the boundary, in smaller
/// boxes.
[[nodiscard]] std::vector<BoundarySegment> boundary_segments(const Box& box, const Box& interior, const Box& owned,
                                                             const Stencil& stencil);

}  // namespace halocline::overlap
