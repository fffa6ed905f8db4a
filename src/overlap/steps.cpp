// SPDX-License-Identifier: BSD-3-Clause
#include "overlap/steps.hpp"

namespace halocline::overlap {
namespace {

/// Cells below and above a box.
struct Margins {
  Vec3 below;
  Vec3 above;
};

/// In each dimension `beyond` at an open end of the domain, and `inside` elsewhere.
Margins margins_of(const Box& owned, const Margins& inside, const Margins& beyond, const Box& domain,
                   const std::array<bool, 3>& open) {
  Margins margins = inside;
  for (int dim = 0; dim < 3; ++dim) {
    if (!open[static_cast<std::size_t>(dim)]) continue;
    if (owned.lo[dim] == domain.lo[dim]) margins.below[dim] = beyond.below[dim];
    if (owned.hi[dim] == domain.hi[dim]) margins.above[dim] = beyond.above[dim];
  }
  return margins;
}

/// So many times the stencil.
Margins times(const Stencil& stencil, std::int64_t n) {
  return {Vec3::filled(n) * stencil.lower(), Vec3::filled(n) * stencil.upper()};
}

}  // namespace

Box update_box(const Box& owned, const Stencil& widest, int steps, int step, const Box& domain,
               const std::array<bool, 3>& open) {
  const Margins margins = margins_of(owned, times(widest, steps - 1 - step), {}, domain, open);
  return owned.grown(margins.below, margins.above);
}

std::vector<OpenBoundaryBox> open_boundary_boxes(const Box& owned, const Stencil& field, const Stencil& widest,
                                                 int steps, int step, const Box& domain,
                                                 const std::array<bool, 3>& open) {
  const Margins computed = times(widest, steps - 1 - step);
  const Margins inside{computed.below + field.lower(), computed.above + field.upper()};
  const Margins margins = margins_of(owned, inside, {field.lower(), field.upper()}, domain, open);
  return open_boundary_boxes(owned, Stencil::per_side(margins.below, margins.above), domain, open);
}

}  // namespace halocline::overlap
