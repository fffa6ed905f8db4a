// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "halocline/box.hpp"

/// Marks functions that kernels and the host may call. The only conditional on the compiler in Halocline: users include these
/// headers in kernels with a GPU compiler, and in main() with another.
#if defined(__CUDACC__)
#define HALOCLINE_HOST_DEVICE __host__ __device__
#else
#define HALOCLINE_HOST_DEVICE
#endif

#pragma GCC visibility push(default)
namespace halocline {

/// One array of a field of a subdomain, by global coordinates: view(x, y, z) is valid for all cells of with_halo().
/// Non-owning; valid until the domain is closed. It keeps referring to the buffer that it was made for, also after a swap.
/// Trivially copyable, so it can be passed to a kernel by value and used there.
template <typename T>
class View {
 public:
  View() = default;
  View(std::byte* origin, const Box& owned, const Box& with_halo, std::array<std::int64_t, 3> stride_bytes,
       std::int64_t component_stride_bytes)
      : origin_(origin),
        owned_(owned),
        with_halo_(with_halo),
        stride_{stride_bytes[0], stride_bytes[1], stride_bytes[2]},
        component_stride_(component_stride_bytes) {}

  /// The element of cell (x, y, z), and of a component if the field has several.
  HALOCLINE_HOST_DEVICE T& operator()(std::int64_t x, std::int64_t y, std::int64_t z, int component = 0) const {
    return *reinterpret_cast<T*>(origin_ + (x - owned_.lo.x) * stride_.x + (y - owned_.lo.y) * stride_.y +
                                 (z - owned_.lo.z) * stride_.z + component * component_stride_);
  }
  HALOCLINE_HOST_DEVICE T& operator()(const Vec3& p, int component = 0) const {
    return (*this)(p.x, p.y, p.z, component);
  }

  [[nodiscard]] HALOCLINE_HOST_DEVICE const Box& owned() const { return owned_; }
  [[nodiscard]] HALOCLINE_HOST_DEVICE const Box& with_halo() const { return with_halo_; }
  /// Address of the first owned cell.
  [[nodiscard]] HALOCLINE_HOST_DEVICE T* data() const { return reinterpret_cast<T*>(origin_); }
  /// Bytes from a cell to the next in x, y, z.
  [[nodiscard]] std::array<std::int64_t, 3> stride_bytes() const { return {stride_.x, stride_.y, stride_.z}; }
  [[nodiscard]] HALOCLINE_HOST_DEVICE std::int64_t component_stride_bytes() const { return component_stride_; }

 private:
  std::byte* origin_ = nullptr;
  Box owned_;
  Box with_halo_;
  Vec3 stride_;  // bytes; no array, whose [] kernels may not call
  std::int64_t component_stride_ = 0;
};

}  // namespace halocline
#pragma GCC visibility pop
