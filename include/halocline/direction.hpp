// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>

#include "halocline/box.hpp"

namespace [[gnu::visibility("default")]] halocline {

/// One of the 26 directions {-1, 0, 1}^3 without 0: six faces, twelve edges, eight corners.
class Direction {
 public:
  /// Throws InvalidArgument if a component is not -1, 0 or 1, or all are 0.
  static Direction of(int x, int y, int z);

  /// Component in a dimension: -1, 0 or 1.
  [[nodiscard]] constexpr int operator[](int dim) const { return dim == 0 ? x_ : (dim == 1 ? y_ : z_); }
  [[nodiscard]] constexpr int operator[](Dim dim) const { return (*this)[static_cast<int>(dim)]; }
  [[nodiscard]] constexpr Vec3 vec() const { return {x_, y_, z_}; }
  [[nodiscard]] constexpr Direction opposite() const {
    return {static_cast<std::int8_t>(-x_), static_cast<std::int8_t>(-y_), static_cast<std::int8_t>(-z_)};
  }
  /// How many components are not 0: 1 for a face, 2 for an edge, 3 for a corner.
  [[nodiscard]] constexpr int order() const { return (x_ != 0) + (y_ != 0) + (z_ != 0); }
  /// Position in all_directions(): 0 to 25, x fastest. Messages are packed in this order.
  [[nodiscard]] constexpr int index() const {
    const int i = (z_ + 1) * 9 + (y_ + 1) * 3 + (x_ + 1);
    return i > 13 ? i - 1 : i;
  }

  friend constexpr bool operator==(const Direction&, const Direction&) = default;
  friend constexpr auto operator<=>(const Direction&, const Direction&) = default;

 private:
  friend constexpr std::array<Direction, 26> make_all_directions();
  constexpr Direction() = default;
  constexpr Direction(std::int8_t x, std::int8_t y, std::int8_t z) : x_(x), y_(y), z_(z) {}
  std::int8_t x_ = 1;
  std::int8_t y_ = 0;
  std::int8_t z_ = 0;

  friend struct std::array<Direction, 26>;
};

constexpr std::array<Direction, 26> make_all_directions() {
  std::array<Direction, 26> all{Direction(), Direction(), Direction(), Direction(), Direction(), Direction(),
                                Direction(), Direction(), Direction(), Direction(), Direction(), Direction(),
                                Direction(), Direction(), Direction(), Direction(), Direction(), Direction(),
                                Direction(), Direction(), Direction(), Direction(), Direction(), Direction(),
                                Direction(), Direction()};
  std::size_t i = 0;
  for (std::int8_t z = -1; z <= 1; ++z) {
    for (std::int8_t y = -1; y <= 1; ++y) {
      for (std::int8_t x = -1; x <= 1; ++x) {
        if (x != 0 || y != 0 || z != 0) all[i++] = Direction(x, y, z);
      }
    }
  }
  return all;
}

/// The 26 directions, by index().
inline constexpr std::array<Direction, 26> all_directions = make_all_directions();

/// "(+1, 0, -1)"
[[nodiscard]] std::string to_string(Direction d);

/// A set of directions, by Direction::index(); for example sides of a halo.
using Directions = std::bitset<all_directions.size()>;

}  // namespace halocline
