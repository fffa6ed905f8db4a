// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/host_copy.hpp"

#include <algorithm>
#include <vector>

#include "domain/internals.hpp"

namespace halocline {

namespace {

/// The parts of a box that lie in memory by the same strides: where halos in x are stored apart, those below the owned cells in x, among
/// them, and above.
std::vector<Box> parts_of(const Box& box, const Box& owned, bool x_halos_apart) {
  if (!x_halos_apart) return {box};
  std::vector<Box> parts{box, box, box};
  parts[0].hi.x = std::min(box.hi.x, owned.lo.x);
  parts[1].lo.x = std::max(box.lo.x, owned.lo.x);
  parts[1].hi.x = std::min(box.hi.x, owned.hi.x);
  parts[2].lo.x = std::max(box.lo.x, owned.hi.x);
  return parts;
}

}  // namespace

void enqueue_host_copy(const Subdomain& subdomain, field_id field, int ahead, const Box& box, std::byte* host,
                       CopyTo to) {
  const auto& descriptor = subdomain.descriptor(field);
  const exchange::Array& array = internals(subdomain).array(subdomain, field, ahead);
  const Box owned = internals(subdomain).geometry().owned(field, subdomain.id());
  const Vec3 extent = box.extent();
  const std::int64_t element = bytes_of(descriptor.element);
  const std::array<std::int64_t, 3> dense{element, element * extent.x, element * extent.x * extent.y};
  for (const Box& part : parts_of(box, owned, descriptor.x_halos_apart)) {
    if (part.empty()) continue;
    const StridedCells there = array.cells_at(part.lo, owned);
    const auto& [x, y, z] = there.stride_bytes;
    const std::array<std::int64_t, 3> strides{x, y, z};
    for (int component = 0; component < descriptor.components; ++component) {
      std::byte* here = host + component * element * box.volume() + (part.lo.x - box.lo.x) * element;
      std::byte* device = there.at({}, component);
      device::StridedCopy copy;
      copy.source = to == CopyTo::host ? device : here;
      copy.target = to == CopyTo::host ? here : device;
      copy.source_stride = to == CopyTo::host ? strides : dense;
      copy.target_stride = to == CopyTo::host ? dense : strides;
      copy.extent = part.extent();
      copy.element_bytes = element;
      stream_of(subdomain).copy(copy);
    }
  }
}

}  // namespace halocline
