// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "halocline/domain.hpp"
#include "support/seeded.hpp"

namespace halocline::test {

/// A user's array for one field of one subdomain, in memory of its device: axes in a seeded order, gaps between
/// elements, rows and planes. Gaps hold a pattern that an exchange must not touch.
class OwnArray {
 public:
  OwnArray(Domain& domain, field_id field, subdomain_id subdomain, Seeded& seeded)
      : backend_(&internals(domain).backend()) {
    const auto& geometry = internals(domain).geometry();
    const FieldDescriptor& descriptor = geometry.fields[field.index()];
    const Box box = geometry.with_halo(field, subdomain);
    const Box owned = geometry.owned(field, subdomain);
    device_ = internals(domain).plan().placement.of(subdomain).ordinal;
    element_ = bytes_of(descriptor.element);
    components_ = descriptor.components;
    extent_ = box.extent();
    std::array<int, 3> order{0, 1, 2};
    if (seeded.chance(40)) std::swap(order[0], order[static_cast<std::size_t>(seeded.between(1, 2))]);
    std::int64_t step = element_ * (seeded.chance(30) ? 2 : 1);
    for (const int dim : order) {
      stride[static_cast<std::size_t>(dim)] = step;
      step = step * extent_[dim] + element_ * seeded.between(0, 3);
    }
    component_stride = step + element_ * seeded.between(0, 2);
    bytes_ = static_cast<std::size_t>(component_stride * components_ + 64);
    memory_ = backend_->allocate(device_, bytes_);
    const auto pattern = backend_->allocate_pinned(bytes_);
    std::memset(pattern->data(), static_cast<int>(gap), bytes_);
    copy(memory_->data(), pattern->data());
    const Vec3 first = owned.lo - box.lo;
    origin = memory_->data() + first.x * stride[0] + first.y * stride[1] + first.z * stride[2];
  }

  /// Whether all bytes between the cells are unchanged.
  [[nodiscard]] bool gaps_intact() const {
    const auto now = backend_->allocate_pinned(bytes_);
    copy(now->data(), memory_->data());
    std::vector<char> is_cell(bytes_, 0);
    for_each_cell(Box::of_extent(extent_), [&](const Vec3& p) {
      for (int c = 0; c < components_; ++c) {
        const auto at =
            static_cast<std::size_t>(p.x * stride[0] + p.y * stride[1] + p.z * stride[2] + c * component_stride);
        std::fill_n(is_cell.data() + at, static_cast<std::size_t>(element_), char{1});
      }
    });
    for (std::size_t i = 0; i < bytes_; ++i) {
      if (is_cell[i] == 0 && now->data()[i] != gap) return false;
    }
    return true;
  }

  std::byte* origin = nullptr;
  std::array<std::int64_t, 3> stride{};
  std::int64_t component_stride = 0;

 private:
  static constexpr std::byte gap{0xc3};

  void copy(std::byte* target, const std::byte* source) const {
    const auto stream = backend_->create_stream(device_);
    stream->copy(target, source, bytes_);
    stream->synchronize();
  }

  device::Backend* backend_;
  int device_ = 0;
  std::size_t bytes_ = 0;
  std::unique_ptr<device::Buffer> memory_;
  std::int64_t element_ = 1;
  int components_ = 1;
  Vec3 extent_;
};

}  // namespace halocline::test
