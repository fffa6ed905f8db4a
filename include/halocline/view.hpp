// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include "halocline/box.hpp"

/// Marks functions that kernels and the host may call. Only this header depends on the compiler: users include these
/// headers in kernels with a GPU compiler, and in main() with another.
#if defined(__CUDACC__)
#define HALOCLINE_HOST_DEVICE __host__ __device__
#else
#define HALOCLINE_HOST_DEVICE
#endif

namespace [[gnu::visibility("default")]] halocline {

/// Whether views compare each access with their bounds: if the macro HALOCLINE_CHECK_BOUNDS is defined, in all files of the program.
#if defined(HALOCLINE_CHECK_BOUNDS)
inline constexpr bool check_bounds = true;
#else
inline constexpr bool check_bounds = false;
#endif

/// What checks of a view compare with, and name in their errors.
struct ViewBounds {
  const char* field = "";  ///< in host memory
  std::int32_t subdomain = -1;
  std::int32_t components = 1;
  std::uint32_t halo_sides = ~std::uint32_t{0};  ///< by Direction::index(): what the stencil reads
};
/// Stands for ViewBounds where nothing is compared.
struct NoBounds {
  NoBounds() = default;
  explicit NoBounds(const ViewBounds& /*bounds*/) {}
};

/// Throws InvalidArgument that names the cell, the field, the subdomain, and what is allowed.
[[noreturn]] void refuse_access(const ViewBounds& bounds, const Vec3& cell, int component, const Box& owned,
                                const Box& with_halo);

/// Cells in memory, by the strides from one of them to the next in x, y, z, and to the next component.
struct StridedCells {
  std::byte* first = nullptr;
  Vec3 stride_bytes;
  std::int64_t component_stride_bytes = 0;

  HALOCLINE_HOST_DEVICE std::byte* at(const Vec3& steps, int component = 0) const {
    return first + steps.x * stride_bytes.x + steps.y * stride_bytes.y + steps.z * stride_bytes.z +
           component * component_stride_bytes;
  }
};

/// One array of a field of a subdomain, by global coordinates: view(x, y, z) is valid for all cells of with_halo().
/// Non-owning; valid until the domain is closed. It keeps referring to the buffer that it was made for, also after a swap.
/// Trivially copyable, so it can be passed to a kernel by value and used there.
///
/// With Checked, an access outside with_halo(), to a component that does not exist, or by a view of const T to a part of the halo
/// that the stencil does not read, and that no exchange fills, is an error: in host memory InvalidArgument, with which the stream
/// of a kernel fails; on GPUs the kernel prints it and traps.
template <typename T, bool Checked = check_bounds>
class View : private std::conditional_t<Checked, ViewBounds, NoBounds> {
  using Bounds = std::conditional_t<Checked, ViewBounds, NoBounds>;

 public:
  View() = default;
  View(std::byte* origin, const Box& owned, const Box& with_halo, std::array<std::int64_t, 3> stride_bytes,
       std::int64_t component_stride_bytes, const ViewBounds& bounds = {})
      : Bounds(bounds),
        origin_(origin),
        owned_(owned),
        with_halo_(with_halo),
        stride_{stride_bytes[0], stride_bytes[1], stride_bytes[2]},
        component_stride_(component_stride_bytes) {}

  /// The element of cell (x, y, z), and of a component if the field has several.
  HALOCLINE_HOST_DEVICE T& operator()(std::int64_t x, std::int64_t y, std::int64_t z, int component = 0) const {
    if constexpr (Checked) check({x, y, z}, component);
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

 protected:
  [[nodiscard]] HALOCLINE_HOST_DEVICE StridedCells in_rows() const { return {origin_, stride_, component_stride_}; }
  /// The same without halos in x.
  [[nodiscard]] HALOCLINE_HOST_DEVICE View without_x_halos() const {
    View rows = *this;
    rows.with_halo_.lo.x = owned_.lo.x;
    rows.with_halo_.hi.x = owned_.hi.x;
    return rows;
  }
  HALOCLINE_HOST_DEVICE void check(const Vec3& cell, int component) const {
    if (allows(cell, component)) return;
#if defined(__CUDA_ARCH__)
    const auto n = [](std::int64_t value) { return static_cast<long long>(value); };
    printf(
        "halocline: cell (%lld, %lld, %lld), component %d, of a field of subdomain %d is not allowed: owned cells are "
        "%lld %lld %lld to %lld %lld %lld, with halo %lld %lld %lld to %lld %lld %lld\n",
        n(cell.x), n(cell.y), n(cell.z), component, static_cast<int>(Bounds::subdomain), n(owned_.lo.x), n(owned_.lo.y),
        n(owned_.lo.z), n(owned_.hi.x - 1), n(owned_.hi.y - 1), n(owned_.hi.z - 1), n(with_halo_.lo.x),
        n(with_halo_.lo.y), n(with_halo_.lo.z), n(with_halo_.hi.x - 1), n(with_halo_.hi.y - 1), n(with_halo_.hi.z - 1));
    __trap();
#else
    refuse_access(*this, cell, component, owned_, with_halo_);
#endif
  }

 private:
  /// 13 for a cell of the box; else where it is around the box, as Direction::index() without the middle.
  HALOCLINE_HOST_DEVICE static int place_of(const Vec3& cell, const Box& box) {
    const auto side = [](std::int64_t at, std::int64_t lo, std::int64_t hi) { return at < lo ? 0 : at < hi ? 1 : 2; };
    return side(cell.x, box.lo.x, box.hi.x) + 3 * side(cell.y, box.lo.y, box.hi.y) +
           9 * side(cell.z, box.lo.z, box.hi.z);
  }
  HALOCLINE_HOST_DEVICE bool allows(const Vec3& cell, int component) const {
    if (place_of(cell, with_halo_) != 13 || component < 0 || component >= Bounds::components) return false;
    const int place = place_of(cell, owned_);
    if (!std::is_const_v<T> || place == 13) return true;
    return (Bounds::halo_sides >> (place < 13 ? place : place - 1) & 1) != 0;
  }

  std::byte* origin_ = nullptr;
  Box owned_;
  Box with_halo_;
  Vec3 stride_;  // bytes; no array, whose [] kernels may not call
  std::int64_t component_stride_ = 0;
};

/// A view of bytes; not compared with bounds.
using ByteView = View<std::byte, false>;

}  // namespace halocline
