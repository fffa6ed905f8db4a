// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/host_copy.hpp"

#include "domain/internals.hpp"

namespace halocline {

void enqueue_host_copy(const Subdomain& subdomain, field_id field, int ahead, const Box& box, std::byte* host,
                       CopyTo to) {
  if (box.empty()) return;
  const auto& descriptor = subdomain.descriptor(field);
  const ByteView there = subdomain.bytes(field, ahead);
  const Vec3 extent = box.extent();
  const std::int64_t element = bytes_of(descriptor.element);
  const std::array<std::int64_t, 3> dense{element, element * extent.x, element * extent.x * extent.y};
  for (int component = 0; component < descriptor.components; ++component) {
    std::byte* here = host + component * element * box.volume();
    std::byte* device = &there(box.lo, component);
    device::StridedCopy copy;
    copy.source = to == CopyTo::host ? device : here;
    copy.target = to == CopyTo::host ? here : device;
    copy.source_stride = to == CopyTo::host ? there.stride_bytes() : dense;
    copy.target_stride = to == CopyTo::host ? dense : there.stride_bytes();
    copy.extent = extent;
    copy.element_bytes = element;
    stream_of(subdomain).copy(copy);
  }
}

}  // namespace halocline
