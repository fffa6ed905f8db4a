// SPDX-License-Identifier: BSD-3-Clause
#include "laplace3d/slabs.hpp"
#include "domain/internals.hpp"

#include <algorithm>

namespace laplace3d {

using halocline::Box;

bool Slab::has_neighbour(Side side) const {
  const Box& owned = subdomain_->owned();
  return side == Side::lower ? owned.lo.z > 0 : owned.hi.z < depth_;
}

Box Slab::side(Side side) const {
  Box box = subdomain_->owned();
  const std::int64_t planes = has_neighbour(side) ? width_ : 0;
  (side == Side::lower ? box.hi.z : box.lo.z) = side == Side::lower ? box.lo.z + planes : box.hi.z - planes;
  return box;
}

Box Slab::ghost(Side side) const { return this->side(side).shifted({0, 0, side == Side::lower ? -width_ : width_}); }

Box Slab::inner() const {
  Box box = subdomain_->owned();
  box.lo.z = side(Side::lower).hi.z;
  box.hi.z = side(Side::upper).lo.z;
  return box;
}

Box Slab::untouched() const {
  Box box = subdomain_->owned();
  if (has_neighbour(Side::lower)) ++box.lo.z;
  if (has_neighbour(Side::upper)) --box.hi.z;
  box.hi.z = std::max(box.lo.z, box.hi.z);
  return box;
}

std::array<Box, 2> Slab::touched() const {
  Box below = subdomain_->update_box(0);
  Box above = below;
  below.hi.z = untouched().lo.z;
  above.lo.z = untouched().hi.z;
  return {below, above};
}

std::vector<Slab> slabs_of(halocline::Domain& domain) {
  std::vector<Slab> slabs;
  for (const auto& subdomain : domain.subdomains()) {
    slabs.emplace_back(subdomain, internals(domain).geometry().partition.extent(), domain.plan().steps_per_exchange);
  }
  std::sort(slabs.begin(), slabs.end(),
            [](const Slab& a, const Slab& b) { return a.subdomain().owned().lo.z < b.subdomain().owned().lo.z; });
  return slabs;
}

}  // namespace laplace3d
