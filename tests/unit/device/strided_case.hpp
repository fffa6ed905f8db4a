// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "device/strided_copy.hpp"
#include "halocline/box.hpp"
#include "support/rounded.hpp"

// Random copies between random layouts, and the definition of a StridedCopy to compare with.
namespace halocline::device::test {

inline constexpr auto sentinel = std::byte{0xee};
inline constexpr std::array<std::int64_t, 5> element_sizes{1, 2, 4, 8, 16};

/// All conversions.
inline const std::vector<Conversion>& conversions() {
  static const std::vector<Conversion> all = [] {
    std::vector<Conversion> made;
    for (const auto way : {Conversion::Way::pack, Conversion::Way::unpack, Conversion::Way::round}) {
      made.push_back({way, Element::f64, Element::f32});
      for (const Element cells : {Element::f64, Element::f32}) {
        for (const Element narrow : {Element::bf16, Element::f16}) made.push_back({way, cells, narrow});
      }
    }
    return made;
  }();
  return all;
}

/// Calls f with the types of a conversion's source, of its narrow format and of its target. Not by with_formats(), which copies use, too.
template <typename F>
void of_types(const Conversion& conversion, F&& f) {
  const auto by_way = [&]<typename Cells, typename Narrow>() {
    if (conversion.way == Conversion::Way::pack) return f.template operator()<Cells, Narrow, Narrow>();
    if (conversion.way == Conversion::Way::unpack) return f.template operator()<Narrow, Narrow, Cells>();
    f.template operator()<Cells, Narrow, Cells>();
  };
  const auto by_narrow = [&]<typename Cells>() {
    if (conversion.narrow == Element::bf16) return by_way.template operator()<Cells, BFloat16>();
    if (conversion.narrow == Element::f16) return by_way.template operator()<Cells, Half>();
    by_way.template operator()<Cells, float>();
  };
  if (conversion.cells == Element::f64) return by_narrow.template operator()<double>();
  by_narrow.template operator()<float>();
}

/// The definition of a conversion for one number.
inline void reference(const Conversion& conversion, const std::byte* source, std::byte* target) {
  of_types(conversion, [&]<typename Source, typename Narrow, typename Target>() {
    Source from;
    std::memcpy(&from, source, sizeof from);
    const double rounded = halocline::test::rounded_to(in_format<double>(from), conversion.narrow);
    const auto to = in_format<Target>(rounded);
    std::memcpy(target, &to, sizeof to);
  });
}

/// The definition, element by element.
inline void reference(const StridedCopy& c) {
  const std::int64_t numbers = c.conversion.any() ? c.element_bytes / bytes_of(c.conversion.cells) : 1;
  for_each_cell(Box::of_extent(c.extent), [&](const Vec3& p) {
    const std::int64_t from = p.x * c.source_stride[0] + p.y * c.source_stride[1] + p.z * c.source_stride[2];
    const std::int64_t to = p.x * c.target_stride[0] + p.y * c.target_stride[1] + p.z * c.target_stride[2];
    if (!c.conversion.any()) std::memcpy(c.target + to, c.source + from, static_cast<std::size_t>(c.element_bytes));
    for (std::int64_t k = 0; c.conversion.any() && k < numbers; ++k) {
      reference(c.conversion, c.source + from + k * c.source_bytes() / numbers,
                c.target + to + k * c.target_bytes() / numbers);
    }
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
  StridedCopyCase(std::mt19937& random, const Vec3& extent, std::int64_t element, const Conversion& conversion = {})
      : copy{.extent = extent, .element_bytes = element, .conversion = conversion},
        from(random, extent, copy.source_bytes()),
        to(random, extent, copy.target_bytes()),
        source(static_cast<std::size_t>(from.bytes)) {
    for (std::byte& b : source) b = static_cast<std::byte>(random() % 200);
    if (conversion.any()) fill_with_numbers(random);
    actual.assign(static_cast<std::size_t>(to.bytes), sentinel);
    expected = actual;
    copy.source = source.data() + from.first;
    copy.target = actual.data() + to.first;
    copy.source_stride = from.stride;
    copy.target_stride = to.stride;
    StridedCopy same = copy;
    same.target = expected.data() + to.first;
    reference(same);
  }
  StridedCopy copy;
  Layout from, to;
  std::vector<std::byte> source, actual, expected;

 private:
  /// Of many magnitudes, some beyond the range of f16.
  void fill_with_numbers(std::mt19937& random) {
    of_types(copy.conversion, [&]<typename Source, typename Narrow, typename Target>() {
      for (std::size_t at = 0; at + sizeof(Source) <= source.size(); at += sizeof(Source)) {
        const double digits = static_cast<double>(static_cast<std::int64_t>(random()) - (std::int64_t{1} << 31));
        const auto number = in_format<Source>(std::ldexp(digits, -static_cast<int>(random() % 48)));
        std::memcpy(&source[at], &number, sizeof number);
      }
    });
  }
};

inline Vec3 random_extent(std::mt19937& random) {
  const auto up_to = [&](unsigned n) { return static_cast<std::int64_t>(1 + random() % n); };
  const auto pick = [&] { return random() % 4 == 0 ? 1 : up_to(11); };
  return {random() % 8 == 0 ? up_to(300) : pick(), pick(), pick()};
}

}  // namespace halocline::device::test
