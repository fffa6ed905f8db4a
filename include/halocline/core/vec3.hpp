#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

namespace halocline {

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

  /// x*y*z. The caller vouches that the product fits; see checked_volume() for input from outside.
  [[nodiscard]] constexpr std::int64_t volume() const { return x * y * z; }

  friend constexpr auto operator<=>(const Vec3&, const Vec3&) = default;
  friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vec3 operator*(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
};

/// "1440 x 1452 x 700"
[[nodiscard]] std::string to_string(const Vec3& v);

/// v.x*v.y*v.z. Throws InvalidArgument where a component is negative or the product overflows 63 bits.
[[nodiscard]] std::int64_t checked_volume(const Vec3& v);

}  // namespace halocline
