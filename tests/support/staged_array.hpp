// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "halocline/domain.hpp"

namespace halocline::test {

/// Dense host memory of the shape of a subdomain's array, and the copies between the two in the order of the
/// subdomain's stream: to fill a device's cells before an exchange, and to check them afterwards.
class StagedArray {
 public:
  StagedArray(Domain& domain, const Subdomain& subdomain, field_id field)
      : stream_(&stream_of(subdomain)),
        there_(subdomain.bytes(field)),
        descriptor_(&internals(domain).geometry().fields[field.index()]) {
    const std::int64_t element = bytes_of(descriptor_->element);
    const Vec3 extent = there_.with_halo().extent();
    stride_ = {element, element * extent.x, element * extent.x * extent.y};
    component_stride_ = element * extent.volume();
    memory_ = internals(domain).backend().allocate_pinned(
        static_cast<std::size_t>(component_stride_ * descriptor_->components));
  }

  template <typename T>
  [[nodiscard]] View<T> view() const {
    const Vec3 first = there_.owned().lo - there_.with_halo().lo;
    std::byte* origin = memory_->data() + first.x * stride_[0] + first.y * stride_[1] + first.z * stride_[2];
    return {origin, there_.owned(), there_.with_halo(), stride_, component_stride_};
  }

  void upload() const { copy(true); }
  void download() const { copy(false); }

 private:
  void copy(bool up) const {
    for (int c = 0; c < descriptor_->components; ++c) {
      std::byte* here = memory_->data() + c * component_stride_;
      std::byte* there = &there_(there_.with_halo().lo, c);
      device::StridedCopy copy;
      copy.source = up ? here : there;
      copy.target = up ? there : here;
      copy.source_stride = up ? stride_ : there_.stride_bytes();
      copy.target_stride = up ? there_.stride_bytes() : stride_;
      copy.extent = there_.with_halo().extent();
      copy.element_bytes = bytes_of(descriptor_->element);
      stream_->copy(copy);
    }
  }

  device::Stream* stream_;
  View<std::byte> there_;
  const FieldDescriptor* descriptor_;
  std::array<std::int64_t, 3> stride_{};
  std::int64_t component_stride_ = 0;
  std::unique_ptr<device::Buffer> memory_;
};

}  // namespace halocline::test
