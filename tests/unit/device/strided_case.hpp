// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "device/strided_copy.hpp"
#include "halocline/box.hpp"

// Random copies between random layouts, and the definition of a StridedCopy to compare with.
namespace halocline::device::test {

inline constexpr auto sentinel = std::byte{0xee};
inline constexpr std::array<std::int64_t, 5> element_sizes{1, 2, 4, 8, 16};

/// The definition, element by element.
inline void reference(const StridedCopy& c) {
  for_each_cell(Box::of_extent(c.extent), [&](const Vec3& p) {
    const std::int64_t from = p.x * c.source_stride[0] + p.y * c.source_stride[1] + p.z * c.source_stride[2];
    const std::int64_t to = p.x * c.target_stride[0] + p.y * c.target_stride[1] + p.z * c.target_stride[2];
    std::memcpy(c.target + to, c.source + from, static_cast<std::size_t>(c.element_bytes));
  });
}

/// A layout without overlap: dimensions nested in some order with some padding, some of them backwards.
struct Layout {
  std::array<std::int64_t, 3> stride{};
  std::int64_t first = 0;  ///< byte of element (0, 0, 0)
  std::int64_t bytes = 0;

  Layout(std::mt19937& random, const Vec3& extent, std::int64_t element) {
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::array<int, 3> order{0, 1, 2};
    if (pick(3) == 0) std::shuffle(order.begin(), order.end(), random);
    std::int64_t step = element;
    for (const int d : order) {
      if (pick(3) == 0) step += element * pick(5);
      const bool backwards = pick(4) == 0;
      stride[static_cast<std::size_t>(d)] = backwards ? -step : step;
      if (backwards) first += step * (extent[d] - 1);
      step *= extent[d];
    }
    bytes = step + 16 * element;
  }
};

/// A copy on the host, with its expected result.
class StridedCopyCase {
 public:
  StridedCopyCase(std::mt19937& random, const Vec3& extent, std::int64_t element)
      : from(random, extent, element), to(random, extent, element), source(static_cast<std::size_t>(from.bytes)) {
    for (std::byte& b : source) b = static_cast<std::byte>(random() % 200);
    actual.assign(static_cast<std::size_t>(to.bytes), sentinel);
    expected = actual;
    copy = {source.data() + from.first, actual.data() + to.first, from.stride, to.stride, extent, element};
    StridedCopy same = copy;
    same.target = expected.data() + to.first;
    reference(same);
  }
  Layout from, to;
  std::vector<std::byte> source, actual, expected;
  StridedCopy copy;
};

inline Vec3 random_extent(std::mt19937& random) {
  const auto up_to = [&](unsigned n) { return static_cast<std::int64_t>(1 + random() % n); };
  const auto pick = [&] { return random() % 4 == 0 ? 1 : up_to(11); };
  return {random() % 8 == 0 ? up_to(300) : pick(), pick(), pick()};
}

}  // namespace halocline::device::test
