// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "halocline/stencil.hpp"

namespace [[gnu::visibility("default")]] halocline {

/// The type of one element. Exchanges move bytes; the type serves views, files and messages to people.
enum class Element : int { i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, c64, c128 };

/// Bytes of one element: 1, 2, 4, 8 or 16.
[[nodiscard]] std::int64_t bytes_of(Element element);
/// "f32"
[[nodiscard]] std::string_view to_string(Element element);
/// The inverse of to_string. Throws InvalidArgument that lists the names.
[[nodiscard]] Element element_from_string(std::string_view name);

/// std::complex, or a type with its layout and interface: thrust::complex, cuda::std::complex.
template <typename T>
concept ComplexNumber = requires(const T& number) {
  { number.real() } -> std::same_as<typename T::value_type>;
  { number.imag() } -> std::same_as<typename T::value_type>;
  requires std::is_floating_point_v<typename T::value_type> && sizeof(T) == 2 * sizeof(typename T::value_type);
};

/// The Element of a C++ type: the integers of 8 to 64 bits, float, double, complex numbers of both.
template <typename T>
[[nodiscard]] constexpr Element element_of() {
  if constexpr (std::is_same_v<T, float>) return Element::f32;
  else if constexpr (std::is_same_v<T, double>) return Element::f64;
  else if constexpr (ComplexNumber<T>) {
    static_assert(sizeof(T) <= 16, "no Element for this type");
    return sizeof(T) == 8 ? Element::c64 : Element::c128;
  } else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 8, "no Element for this type");
    constexpr bool s = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return s ? Element::i8 : Element::u8;
    else if constexpr (sizeof(T) == 2) return s ? Element::i16 : Element::u16;
    else if constexpr (sizeof(T) == 4) return s ? Element::i32 : Element::u32;
    else return s ? Element::i64 : Element::u64;
  }
}

/// FieldDescriptor::component_directions where component c streams with velocities[c], as populations of lattice Boltzmann do:
/// cell x reads it at x - velocities[c], so it is sent towards each direction whose components are 0 or the velocity's signs.
/// (1, 0, 0) is sent towards (+1, 0, 0); (1, -1, 0) towards (+1, 0, 0), (0, -1, 0) and (+1, -1, 0); (0, 0, 0) towards none.
[[nodiscard]] std::vector<Directions> directions_of_velocities(std::span<const Vec3> velocities);

/// A field without its memory.
struct FieldDescriptor {
  std::string name{};
  Element element = Element::f32;
  /// Values of a cell. Each component is an array of its own; they follow one another in memory.
  int components = 1;
  /// What a step reads of this field, if that is not the domain's stencil.
  std::optional<Stencil> stencil{};
  /// Staggered by one in a dimension: extent + 1 points where it is open (the last subdomain owns the additional layer), else extent.
  std::array<bool, 3> staggered{false, false, false};
  /// Arrays of this shape in each subdomain: 1, 2 (read one, write the other, swap), or more.
  int buffers = 1;
  /// For each component the directions in which it is sent; empty: all components in all directions. What is sent towards d, from
  /// the sender's face, edge or corner d, fills the neighbour's halo on side -d. Halo cells of components that are not sent keep
  /// their values. Directions in which the stencil reads nothing are allowed; nothing is sent in them.
  std::vector<Directions> component_directions{};
  /// A narrower format in which its cells are sent (f64 as f32, bf16 or f16; f32 as bf16 or f16; c128 as c64), so that messages
  /// have fewer bytes. Halo cells hold the neighbour's values rounded to it, to nearest, in every halo, whichever devices the
  /// subdomains are on; beyond its range (f16: 65504) infinity. Owned cells are not changed; accumulate() sends full precision.
  std::optional<Element> wire{};
  /// Halos in x lie in arrays of their own instead of at the ends of rows, where a cell of them shares its sector of memory with
  /// cells of no halo. Exchanges that fill them are up to twice as fast. Kernels read them by a SplitView. Not with use_array().
  bool x_halos_apart = false;

  friend bool operator==(const FieldDescriptor&, const FieldDescriptor&) = default;
};

/// An array of the user's: all its cells, halos included, in any order and with any gaps in memory.
struct UserArray {
  void* data = nullptr;                        ///< cell (0, 0, 0) of the array, a corner of its halo
  Vec3 extent;                                 ///< cells, halos included
  std::array<std::int64_t, 3> stride_bytes{};  ///< of a step in x, y, z
  Vec3 halo_below;                             ///< cells below the owned ones; at least the field's halo
  Vec3 halo_above;                             ///< and above
  std::int64_t component_stride_bytes = 0;     ///< of a step from one component to the next
  std::optional<int> components{};             ///< where they are set, use_array() compares them with the field's
  std::optional<Element> element{};
};

/// Rank, extents, and strides in elements: a std::mdspan, a Kokkos::View, or a type of the user's.
template <typename Span>
concept StridedSpan = requires(const Span& span, std::size_t index) {
  { Span::rank() } -> std::convertible_to<std::size_t>;
  { span.extent(index) } -> std::convertible_to<std::int64_t>;
  { span.stride(index) } -> std::convertible_to<std::int64_t>;
};

/// The memory of a span as an array for Domain::use_array, without a copy; the span itself is not kept. axes: the meaning of its
/// indices, from the first to the last: "zyx" for span(z, y, x); with "c" for components, "czyx" for a structure of arrays, "zyxc"
/// for an array of structures. Padding is allowed anywhere. halo_below, halo_above: cells of the span around the owned ones. Throws
/// InvalidArgument unless axes has one letter for each index: x, y and z once each, and at most one c. The first form takes extents
/// and strides in elements, for a rank that is known only at run time.
[[nodiscard]] UserArray array_of(void* data, Element element, std::span<const std::int64_t> extents,
                                 std::span<const std::int64_t> strides, std::string_view axes, const Vec3& halo_below,
                                 const Vec3& halo_above);
template <StridedSpan Span>
[[nodiscard]] UserArray array_of(const Span& span, std::string_view axes, const Vec3& halo_below,
                                 const Vec3& halo_above) {
  static_assert(Span::rank() == 3 || Span::rank() == 4, "x, y, z, and components if there are several");
  std::array<std::int64_t, Span::rank()> extents{}, strides{};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    extents[i] = static_cast<std::int64_t>(span.extent(i));
    strides[i] = static_cast<std::int64_t>(span.stride(i));
  }
  const auto cells = [&] {
    if constexpr (requires { span.data(); }) return span.data();
    else return span.data_handle();
  }();
  return array_of(cells, element_of<std::remove_pointer_t<decltype(cells)>>(), extents, strides, axes, halo_below,
                  halo_above);
}

/// The number that a reduction computes from all values of a field. A NaN among them gives NaN, also as a minimum or maximum.
enum class Reduce : int { sum, sum_of_squares, min, max, max_abs };
inline constexpr std::array all_reductions{Reduce::sum, Reduce::sum_of_squares, Reduce::min, Reduce::max,
                                           Reduce::max_abs};
[[nodiscard]] std::string_view to_string(Reduce what);  ///< "sum_of_squares"

/// Whether a dimension of the domain wraps around or ends.
enum class Boundary : int {
  periodic,
  open,
  /// Periodic. If the dimension is not cut, it has no halo: kernels read the cells beyond one end at the other end.
  periodic_in_kernel,
};
using Boundaries = std::array<Boundary, 3>;
inline constexpr Boundaries all_periodic{Boundary::periodic, Boundary::periodic, Boundary::periodic};

}  // namespace halocline
