// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>

#include "device/backend.hpp"
#include "domain/detail/host_copy.hpp"
#include "domain/internals.hpp"
#include "halocline/domain.hpp"

namespace halocline::test {

/// Dense host memory of the shape of a subdomain's current array, and the copies between the two in the order of the
/// subdomain's stream: to fill a device's cells before an exchange, and to check them afterwards.
class StagedArray {
 public:
  StagedArray(Domain& domain, const Subdomain& subdomain, field_id field)
      : subdomain_(&subdomain),
        field_(field),
        owned_(subdomain.bytes(field).owned()),
        with_halo_(subdomain.with_halo(field)) {
    const FieldDescriptor& descriptor = subdomain.descriptor(field);
    const std::int64_t element = bytes_of(descriptor.element);
    const Vec3 extent = with_halo_.extent();
    stride_ = {element, element * extent.x, element * extent.x * extent.y};
    component_stride_ = element * extent.volume();
    memory_ = internals(domain).backend().allocate_pinned(
        static_cast<std::size_t>(component_stride_ * descriptor.components));
  }

  template <typename T>
  [[nodiscard]] View<T> view() const {
    const Vec3 first = owned_.lo - with_halo_.lo;
    std::byte* origin = memory_->data() + first.x * stride_[0] + first.y * stride_[1] + first.z * stride_[2];
    return {origin, owned_, with_halo_, stride_, component_stride_};
  }

  void upload() const { copy(CopyTo::device); }
  void download() const { copy(CopyTo::host); }

 private:
  void copy(CopyTo to) const { enqueue_host_copy(*subdomain_, field_, 0, with_halo_, memory_->data(), to); }

  const Subdomain* subdomain_;
  field_id field_;
  Box owned_;
  Box with_halo_;
  std::array<std::int64_t, 3> stride_{};
  std::int64_t component_stride_ = 0;
  std::unique_ptr<device::Buffer> memory_;
};

}  // namespace halocline::test
