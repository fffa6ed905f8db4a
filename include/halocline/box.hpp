// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

namespace [[gnu::visibility("default")]] halocline {

/// The three dimensions. x is the fastest in memory.
enum class Dim : int { x = 0, y = 1, z = 2 };
inline constexpr std::array<Dim, 3> all_dims{Dim::x, Dim::y, Dim::z};

/// Three 64-bit integers: a position or an extent, in cells, ordered x, y, z.
/// Comparison with < is lexicographic (x first); it exists for sorted containers and tie rules.
struct Vec3 {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;

  [[nodiscard]] static constexpr Vec3 filled(std::int64_t value) { return {value, value, value}; }

  constexpr std::int64_t& operator[](int dim) { return dim == 0 ? x : (dim == 1 ? y : z); }
  constexpr std::int64_t operator[](int dim) const { return dim == 0 ? x : (dim == 1 ? y : z); }
  constexpr std::int64_t& operator[](Dim dim) { return (*this)[static_cast<int>(dim)]; }
  constexpr std::int64_t operator[](Dim dim) const { return (*this)[static_cast<int>(dim)]; }

  /// x*y*z, which must fit into 63 bits; see checked_volume() for input from outside.
  [[nodiscard]] constexpr std::int64_t volume() const { return x * y * z; }

  // nvcc 13.0 does not define the == that a defaulted <=> implies; so in each type here and below.
  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
  friend constexpr auto operator<=>(const Vec3&, const Vec3&) = default;
  friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vec3 operator*(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
};

/// "1440 x 1452 x 700"
[[nodiscard]] std::string to_string(const Vec3& v);

/// v.x*v.y*v.z. Throws InvalidArgument if a component is negative or the product overflows 63 bits.
[[nodiscard]] std::int64_t checked_volume(const Vec3& v);

/// A half-open box of cells: lo is inside, hi is the first outside, in each dimension. Everywhere in Halocline boxes are in global
/// coordinates; the halo of a subdomain at the edge of a periodic domain therefore has coordinates below 0 or from the domain's extent on.
struct Box {
  Vec3 lo;
  Vec3 hi;

  [[nodiscard]] static constexpr Box of_extent(const Vec3& extent) { return {{}, extent}; }

  [[nodiscard]] constexpr Vec3 extent() const { return hi - lo; }
  [[nodiscard]] constexpr bool empty() const { return hi.x <= lo.x || hi.y <= lo.y || hi.z <= lo.z; }
  /// Number of cells; 0 for an empty box.
  [[nodiscard]] constexpr std::int64_t volume() const { return empty() ? 0 : extent().volume(); }
  [[nodiscard]] constexpr bool contains(const Vec3& p) const {
    return p.x >= lo.x && p.x < hi.x && p.y >= lo.y && p.y < hi.y && p.z >= lo.z && p.z < hi.z;
  }
  /// An empty box is inside every box.
  [[nodiscard]] constexpr bool contains(const Box& b) const {
    return b.empty() || (contains(b.lo) && contains(b.hi - Vec3::filled(1)));
  }
  [[nodiscard]] constexpr Box shifted(const Vec3& by) const { return {lo + by, hi + by}; }
  /// Each side moved outwards by the given number of cells (inwards if negative).
  [[nodiscard]] constexpr Box grown(const Vec3& below, const Vec3& above) const { return {lo - below, hi + above}; }
  /// The cells in both; possibly empty.
  [[nodiscard]] constexpr Box intersection(const Box& b) const {
    Box both;
    for (const Dim dim : all_dims) {
      both.lo[dim] = lo[dim] < b.lo[dim] ? b.lo[dim] : lo[dim];
      both.hi[dim] = hi[dim] < b.hi[dim] ? hi[dim] : b.hi[dim];
    }
    return both;
  }
  [[nodiscard]] constexpr bool overlaps(const Box& b) const { return !intersection(b).empty(); }

  friend constexpr bool operator==(const Box&, const Box&) = default;
  friend constexpr auto operator<=>(const Box&, const Box&) = default;
};

/// "[0, 720) x [0, 484) x [0, 700)"
[[nodiscard]] std::string to_string(const Box& box);

/// Calls f(p) for every cell of the box, x fastest.
template <typename F>
constexpr void for_each_cell(const Box& box, F&& f) {
  for (std::int64_t z = box.lo.z; z < box.hi.z; ++z) {
    for (std::int64_t y = box.lo.y; y < box.hi.y; ++y) {
      for (std::int64_t x = box.lo.x; x < box.hi.x; ++x) f(Vec3{x, y, z});
    }
  }
}

}  // namespace halocline
