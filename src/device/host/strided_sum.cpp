// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/strided_sum.hpp"

#include <cstring>
#include <utility>

#include "core/half.hpp"
#include "device/host/rows_ahead.hpp"
#include "halocline/error.hpp"

namespace halocline::device::host {
namespace {

template <typename T>
T sum_of(T a, T b) {
  return static_cast<T>(a + b);
}
template <typename T>
requires requires(T value) { value.bits; }
T sum_of(T a, T b) { return T::of(a.value() + b.value()); }

template <typename T>
struct Complex {
  T real, imaginary;
};
template <typename T>
Complex<T> sum_of(Complex<T> a, Complex<T> b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}

/// An element's target may lie anywhere, as a user's array does.
template <typename T>
void add_element(std::byte* target, const std::byte* term) {
  T sum;
  T more;
  std::memcpy(&sum, target, sizeof sum);
  std::memcpy(&more, term, sizeof more);
  sum = sum_of(sum, more);
  std::memcpy(target, &sum, sizeof sum);
}

/// Adds a term, row by row: row(target, first of the term).
template <typename Row>
void add_rows(const StridedSum& sum, const StridedSum::Term& term, Row&& row) {
  for (std::int64_t z = 0; z < sum.extent.z; ++z) {
    std::byte* const target = sum.target + z * sum.target_stride[2];
    const std::byte* const first = term.first + z * term.stride[2];
    for (std::int64_t y = 0; y < sum.extent.y; ++y) {
      __builtin_prefetch(ahead(target, y, sum.target_stride[1]), 1);
      __builtin_prefetch(ahead(first, y, term.stride[1]), 0);
      row(target + y * sum.target_stride[1], first + y * term.stride[1]);
    }
  }
}

/// The same for contiguous rows of a fixed number of elements, such as halos of x faces: without a loop for each row.
template <typename T, std::size_t... i>
void add_short_rows(const StridedSum& sum, const StridedSum::Term& term, std::index_sequence<i...>) {
  add_rows(sum, term, [](std::byte* target, const std::byte* first) {
    (add_element<T>(target + i * sizeof(T), first + i * sizeof(T)), ...);
  });
}

template <typename T>
void add_term(const StridedSum& sum, const StridedSum::Term& term) {
  constexpr std::int64_t dense = sizeof(T);
  const std::int64_t count = sum.extent.x;
  if (sum.target_stride[0] != dense || term.stride[0] != dense) {
    return add_rows(sum, term, [&](std::byte* target, const std::byte* first) {
      for (std::int64_t i = 0; i < count; ++i) {
        add_element<T>(target + i * sum.target_stride[0], first + i * term.stride[0]);
      }
    });
  }
  switch (count) {
    case 1: return add_short_rows<T>(sum, term, std::make_index_sequence<1>());
    case 2: return add_short_rows<T>(sum, term, std::make_index_sequence<2>());
    case 3: return add_short_rows<T>(sum, term, std::make_index_sequence<3>());
    case 4: return add_short_rows<T>(sum, term, std::make_index_sequence<4>());
    default:
      add_rows(sum, term, [count](std::byte* target, const std::byte* first) {
        for (std::int64_t i = 0; i < count; ++i) add_element<T>(target + i * dense, first + i * dense);
      });
  }
}

template <typename T>
void add_all(const StridedSum& sum) {
  for (const StridedSum::Term& term : sum.terms) add_term<T>(sum, term);
}

void check(const StridedSum& sum) {
  bool null = sum.target == nullptr;
  for (const StridedSum::Term& term : sum.terms) null = null || term.first == nullptr;
  if (null && sum.extent.volume() != 0) throw InvalidArgument("the target or a term of a sum is null");
}

}  // namespace

HostSumList::HostSumList(std::span<const StridedSum> sums) {
  for (const StridedSum& sum : sums) check(sum);
  sums_ = std::make_shared<const std::vector<StridedSum>>(sums.begin(), sums.end());
}

void add_terms(const StridedSum& sum) {
  // Signed integers as unsigned ones, whose sums wrap around.
  switch (sum.element) {
    case Element::i8:
    case Element::u8: return add_all<std::uint8_t>(sum);
    case Element::i16:
    case Element::u16: return add_all<std::uint16_t>(sum);
    case Element::i32:
    case Element::u32: return add_all<std::uint32_t>(sum);
    case Element::i64:
    case Element::u64: return add_all<std::uint64_t>(sum);
    case Element::f16: return add_all<Half>(sum);
    case Element::bf16: return add_all<BFloat16>(sum);
    case Element::f32: return add_all<float>(sum);
    case Element::f64: return add_all<double>(sum);
    case Element::c64: return add_all<Complex<float>>(sum);
    case Element::c128: return add_all<Complex<double>>(sum);
  }
}

}  // namespace halocline::device::host
