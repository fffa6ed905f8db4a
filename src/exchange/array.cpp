// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/array.hpp"

namespace halocline::exchange {

void Array::move_to(std::byte* to) {
  for (StridedCells& halo : x_halos) {
    if (halo.first != nullptr) halo.first = to + (halo.first - origin);
  }
  origin = to;
}

StridedCells Array::cells_at(const Vec3& p, const Box& owned) const {
  StridedCells cells{origin, {stride_bytes[0], stride_bytes[1], stride_bytes[2]}, component_stride_bytes};
  Vec3 first = owned.lo;
  const auto& [below, above] = x_halos;
  if (p.x < owned.lo.x && below.first != nullptr) {
    cells = below;
    first.x = owned.lo.x - 1;
  } else if (p.x >= owned.hi.x && above.first != nullptr) {
    cells = above;
    first.x = owned.hi.x;
  }
  cells.first = cells.at(p - first);
  return cells;
}

std::array<StridedCells, 2> Array::both_x_halos(const Box& owned) const {
  return {cells_at({owned.lo.x - 1, owned.lo.y, owned.lo.z}, owned),
          cells_at({owned.hi.x, owned.lo.y, owned.lo.z}, owned)};
}

}  // namespace halocline::exchange
