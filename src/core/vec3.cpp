// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/box.hpp"

#include <fmt/core.h>

#include "halocline/direction.hpp"
#include "halocline/error.hpp"

namespace halocline {

std::string to_string(const Vec3& v) { return fmt::format("{} x {} x {}", v.x, v.y, v.z); }

std::int64_t checked_volume(const Vec3& v) {
  std::int64_t product = 1;
  for (int dim = 0; dim < 3; ++dim) {
    if (v[dim] < 0) {
      throw InvalidArgument(fmt::format("extent is {}; allowed are extents of 0 or more", to_string(v)));
    }
    if (__builtin_mul_overflow(product, v[dim], &product)) {
      throw InvalidArgument(fmt::format("extent is {}; allowed are fewer than 2^63 cells", to_string(v)));
    }
  }
  return product;
}

std::string to_string(const Box& box) {
  return fmt::format("[{}, {}) x [{}, {}) x [{}, {})", box.lo.x, box.hi.x, box.lo.y, box.hi.y, box.lo.z, box.hi.z);
}

Direction Direction::of(int x, int y, int z) {
  const auto ok = [](int c) { return c >= -1 && c <= 1; };
  if (!ok(x) || !ok(y) || !ok(z) || (x == 0 && y == 0 && z == 0)) {
    throw InvalidArgument(
        fmt::format("direction is ({}, {}, {}); allowed are components -1, 0 and 1, not all 0", x, y, z));
  }
  return {static_cast<std::int8_t>(x), static_cast<std::int8_t>(y), static_cast<std::int8_t>(z)};
}

std::string to_string(Direction d) { return fmt::format("({:+}, {:+}, {:+})", d[0], d[1], d[2]); }

}  // namespace halocline
