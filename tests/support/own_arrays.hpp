#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "halocline/domain/domain.hpp"
#include "support/seeded.hpp"

namespace halocline::test {

/// A user's array for one field of one subdomain: axes in a seeded order in memory, gaps between elements, rows and
/// planes. Gaps hold a pattern that an exchange must not touch.
class OwnArray {
 public:
  OwnArray(const partition::Geometry& geometry, field_id field, subdomain_id subdomain, Seeded& seeded) {
    const FieldDescriptor& descriptor = geometry.fields[field.index()];
    const Box box = geometry.with_halo(field, subdomain);
    const Box owned = geometry.owned(field, subdomain);
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
    memory_.resize(static_cast<std::size_t>(component_stride * components_ + 64), gap);
    base_ = memory_.data() + 16 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 16;
    const Vec3 first = owned.lo - box.lo;
    origin = base_ + first.x * stride[0] + first.y * stride[1] + first.z * stride[2];
  }

  /// Whether all bytes that belong to no cell are as they were.
  [[nodiscard]] bool gaps_intact() const {
    std::vector<bool> is_cell(memory_.size(), false);
    const auto start = static_cast<std::size_t>(base_ - memory_.data());
    for_each_cell(Box::of_extent(extent_), [&](const Vec3& p) {
      for (int c = 0; c < components_; ++c) {
        const auto at =
            static_cast<std::size_t>(p.x * stride[0] + p.y * stride[1] + p.z * stride[2] + c * component_stride);
        for (std::size_t b = 0; b < static_cast<std::size_t>(element_); ++b) is_cell[start + at + b] = true;
      }
    });
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if (!is_cell[i] && memory_[i] != gap) return false;
    }
    return true;
  }

  std::byte* origin = nullptr;
  std::array<std::int64_t, 3> stride{};
  std::int64_t component_stride = 0;

 private:
  static constexpr std::byte gap{0xc3};
  std::vector<std::byte> memory_;
  std::byte* base_ = nullptr;
  std::int64_t element_ = 1;
  int components_ = 1;
  Vec3 extent_;
};

}  // namespace halocline::test
