// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "device/strided_reduction.hpp"
#include "unit/device/strided_case.hpp"

// Random reductions of arrays in random layouts, with their exact results.
namespace halocline::device::test {

/// Numbers whose sums, and sums of squares, are exact in any order.
inline double random_number(std::mt19937& random) { return (static_cast<double>(random() % 4001) - 2500) / 8; }

/// Reductions of all kinds of the same boxes on the host, with their expected results.
class ReductionCase {
 public:
  ReductionCase(std::mt19937& random, Element element, const Vec3& extent)
      : layout(random, extent, bytes_of(element)), element_(element), extent_(extent) {
    for (std::size_t i = 1 + random() % 3; i > 0; --i) {
      auto& box = boxes.emplace_back(static_cast<std::size_t>(layout.bytes));
      std::memset(box.data(), 0xff, box.size());  // NaN outside of the box
      for_each_cell(Box::of_extent(extent), [&](const Vec3& p) {
        const double value = random_number(random);
        std::byte* at =
            box.data() + layout.first + p.x * layout.stride[0] + p.y * layout.stride[1] + p.z * layout.stride[2];
        if (element == Element::f32) {
          const auto narrow = static_cast<float>(value);
          std::memcpy(at, &narrow, sizeof narrow);
        } else {
          std::memcpy(at, &value, sizeof value);
        }
        expected[0] += value;
        expected[1] += value * value;
        expected[2] = std::min(expected[2], value);
        expected[3] = std::max(expected[3], value);
        expected[4] = std::max(expected[4], std::abs(value));
      });
    }
  }
  /// With the boxes' memory and the results at other addresses.
  [[nodiscard]] std::vector<StridedReduction> in(const std::vector<const std::byte*>& memory, double* results) const {
    std::vector<StridedReduction> all;
    for (const Reduce what : all_reductions) {
      StridedReduction& one = all.emplace_back();
      one = {.what = what,
             .target = results++,
             .boxes = {},
             .stride = layout.stride,
             .extent = extent_,
             .element = element_};
      for (const std::byte* box : memory) one.boxes.push_back(box + layout.first);
    }
    return all;
  }

  Layout layout;
  std::vector<std::vector<std::byte>> boxes;
  std::array<double, 5> expected{0, 0, HUGE_VAL, -HUGE_VAL, 0};  ///< by all_reductions

 private:
  Element element_;
  Vec3 extent_;
};

}  // namespace halocline::device::test
