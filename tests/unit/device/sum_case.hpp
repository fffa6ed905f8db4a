// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstring>
#include <random>
#include <vector>

#include "core/half.hpp"
#include "device/strided_sum.hpp"
#include "unit/device/strided_case.hpp"

// Random sums of arrays in random layouts, and the definition of a StridedSum to compare with.
namespace halocline::device::test {

inline constexpr std::array all_elements{Element::i8,  Element::u8,  Element::i16, Element::u16, Element::i32,
                                         Element::u32, Element::i64, Element::u64, Element::f16, Element::bf16,
                                         Element::f32, Element::f64, Element::c64, Element::c128};

/// Calls f with a value of the element's type. Signed integers as unsigned ones, whose sums are defined.
template <typename F>
void with_summand(Element element, F&& f) {
  switch (element) {
    case Element::i8:
    case Element::u8: return f(std::uint8_t{});
    case Element::i16:
    case Element::u16: return f(std::uint16_t{});
    case Element::i32:
    case Element::u32: return f(std::uint32_t{});
    case Element::i64:
    case Element::u64: return f(std::uint64_t{});
    case Element::f16: return f(Half{});
    case Element::bf16: return f(BFloat16{});
    case Element::f32: return f(float{});
    case Element::f64: return f(double{});
    case Element::c64: return f(std::complex<float>{});
    case Element::c128: return f(std::complex<double>{});
  }
}

template <typename T>
T random_summand(std::mt19937& random) {
  // Numbers of very different magnitude, so that the order of additions matters.
  const auto number = [&] {
    return std::ldexp(static_cast<double>(random() % 2001) - 1000, static_cast<int>(random() % 12) - 6);
  };
  if constexpr (std::is_integral_v<T>) return static_cast<T>(random() * 0x100000001ULL);
  else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(number());
  else if constexpr (requires { T::of(0.0F); }) return T::of(static_cast<float>(number()));
  else return {static_cast<typename T::value_type>(number()), static_cast<typename T::value_type>(number())};
}

template <typename T>
T plus(T a, T b) {
  if constexpr (requires { T::of(0.0F); }) return T::of(a.value() + b.value());
  else return static_cast<T>(a + b);
}

/// The definition, cell by cell.
inline void reference(const StridedSum& sum) {
  with_summand(sum.element, [&](auto sample) {
    for_each_cell(Box::of_extent(sum.extent), [&](const Vec3& p) {
      const auto at = [&](const std::array<std::int64_t, 3>& stride) {
        return p.x * stride[0] + p.y * stride[1] + p.z * stride[2];
      };
      std::memcpy(&sample, sum.target + at(sum.target_stride), sizeof sample);
      for (const StridedSum::Term& term : sum.terms) {
        auto more = sample;
        std::memcpy(&more, term.first + at(term.stride), sizeof more);
        sample = plus(sample, more);
      }
      std::memcpy(sum.target + at(sum.target_stride), &sample, sizeof sample);
    });
  });
}

/// A sum on the host, with its expected result.
class SumCase {
 public:
  SumCase(std::mt19937& random, Element element_in) : element(element_in) {
    const Vec3 extent = random_extent(random);
    const std::int64_t bytes = bytes_of(element);
    target.emplace_back(random, extent, bytes);
    for (std::size_t i = random() % 8; i > 0; --i) terms.emplace_back(random, extent, bytes);
    with_summand(element, [&](auto sample) {
      const auto values = [&](const Layout& layout) {
        std::vector<std::byte> memory(static_cast<std::size_t>(layout.bytes));
        for (std::size_t at = 0; at + sizeof sample <= memory.size(); at += sizeof sample) {
          sample = random_summand<decltype(sample)>(random);
          std::memcpy(memory.data() + at, &sample, sizeof sample);
        }
        return memory;
      };
      actual = values(target.front());
      for (const Layout& term : terms) summands.push_back(values(term));
    });
    sum.extent = extent;
    sum.element = element;
    expected = actual;
    std::vector<std::byte*> at;
    for (auto& summand : summands) at.push_back(summand.data());
    reference(in(expected.data(), at));
  }
  /// The same sum with its arrays at other addresses.
  [[nodiscard]] StridedSum in(std::byte* target_memory, const std::vector<std::byte*>& term_memory) const {
    StridedSum moved = sum;
    moved.target = target_memory + target.front().first;
    moved.target_stride = target.front().stride;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      moved.terms.push_back({term_memory[i] + terms[i].first, terms[i].stride});
    }
    return moved;
  }

  Element element;
  std::vector<Layout> target, terms;
  std::vector<std::byte> actual, expected;
  std::vector<std::vector<std::byte>> summands;

 private:
  StridedSum sum;
};

}  // namespace halocline::device::test
