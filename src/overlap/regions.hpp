// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "core/halo_width.hpp"
#include "halocline/box.hpp"
#include "halocline/regions.hpp"
#include "halocline/stencil.hpp"

namespace halocline::overlap {

/// The cells of a subdomain that can be updated while its halos are under way: those that read no halo cell and, for
/// in-place updates, are not being sent. Possibly empty, then in normal form (lo == hi).
/// halo: what is sent to neighbours, where that is wider than the stencil.
[[nodiscard]] Box interior(const Box& owned, const Stencil& stencil, Update update);
[[nodiscard]] Box interior(const Box& owned, const Stencil& stencil, const HaloWidth& halo, Update update);

/// The part of an interior that is whole tiles of this number of cells, counted from the first cell of the owned box: blocks of a
/// kernel that have all of their cells then meet no edge, and the boundary is thick enough for them. In normal form where
/// empty. Throws InvalidArgument for tiles of less than 1 cell.
[[nodiscard]] Box whole_tiles(const Box& interior, const Box& owned, const Vec3& tile);

/// The rest: disjoint boxes, at most six, that together with the interior are exactly the owned box.
/// z slabs first (full planes), then y, then x, so that most cells lie in long rows.
[[nodiscard]] std::vector<Box> boundary(const Box& owned, const Stencil& stencil, Update update);
/// The same for an interior and a box around it.
[[nodiscard]] std::vector<Box> boundary(const Box& box, const Box& interior);

/// The boxes in which a hook fills halos beyond an open boundary, in order: x, then y, then z; each spans the
/// halos that were filled before it, so that edges and corners come out right. side: which end.
[[nodiscard]] std::vector<OpenBoundaryBox> open_boundary_boxes(const Box& owned, const Stencil& stencil,
                                                               const Box& domain, const std::array<bool, 3>& open);

}  // namespace halocline::overlap
