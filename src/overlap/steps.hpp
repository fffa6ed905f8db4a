// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "halocline/box.hpp"
#include "halocline/stencil.hpp"
#include "overlap/regions.hpp"

namespace halocline::overlap {

// One exchange for several steps (a ghost zone, or trapezoid): halos are `steps` times as wide, and the steps
// between two exchanges compute a part of the neighbours' cells as well, less of it with each step. Steps count from
// the exchange: 0 is the first after it, steps - 1 the last before the next. `widest` is what the fields read in a
// step, on each side the widest of them, as each step updates all fields in the same box. An `owned` box that touches
// an open end of `domain` has nothing to update there beyond it.

/// The cells that a step updates: the owned ones and steps - 1 - step times `widest` beyond them.
[[nodiscard]] Box update_box(const Box& owned, const Stencil& widest, int steps, int step, const Box& domain,
                             const std::array<bool, 3>& open);

/// As open_boundary_boxes() of regions.hpp, before a step: beyond an open end as thick as `field`, and as long as what the
/// step also reads. `owned` and `domain` are the field's.
[[nodiscard]] std::vector<OpenBoundaryBox> open_boundary_boxes(const Box& owned, const Stencil& field,
                                                               const Stencil& widest, int steps, int step,
                                                               const Box& domain, const std::array<bool, 3>& open);

}  // namespace halocline::overlap
