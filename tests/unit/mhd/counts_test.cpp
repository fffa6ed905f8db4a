// SPDX-License-Identifier: BSD-3-Clause
// The numbers of operations and values that the rates of a cell take; the guide's roofline uses them.
#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <type_traits>

#include "mhd/update.hpp"

namespace {

struct Counts {
  int adds = 0;  ///< additions and subtractions; changes of sign are free
  int products = 0;
  int fused = 0;
  int divisions = 0;
  int exponentials = 0;
  [[nodiscard]] int flops() const { return adds + products + 2 * fused; }
};
Counts counts;

struct Counted {
  constexpr Counted() = default;
  constexpr Counted(int) {}
  template <typename F>
  static constexpr Counted count(F&& f) {
    if (!std::is_constant_evaluated()) f(counts);
    return {};
  }
  friend constexpr Counted operator+(Counted, Counted) {
    return count([](Counts& c) { ++c.adds; });
  }
  friend constexpr Counted operator-(Counted, Counted) {
    return count([](Counts& c) { ++c.adds; });
  }
  friend constexpr Counted operator*(Counted, Counted) {
    return count([](Counts& c) { ++c.products; });
  }
  friend constexpr Counted operator/(Counted, Counted) {
    return count([](Counts& c) { ++c.divisions; });
  }
  friend constexpr Counted operator-(Counted) { return {}; }
  friend Counted exp(Counted) {
    return count([](Counts& c) { ++c.exponentials; });
  }
};

/// Fused, as on GPUs: rounded once.
struct Fused {
  static Counted multiply_add(Counted, Counted, Counted) {
    return Counted::count([](Counts& c) { ++c.fused; });
  }
};

template <int R>
std::size_t values_read() {
  std::set<std::tuple<int, int, int, int>> read;
  const auto f = [&read](int field, int dx, int dy, int dz) {
    read.insert({field, dx, dy, dz});
    return Counted();
  };
  counts = {};
  static_cast<void>(mhd::rates<Fused>(f, mhd::Weights<Counted, R>{}, mhd::Constants<Counted>{}));
  return read.size();
}

TEST(Counts, AreThoseOfTheGuide) {
  // Eight fields on three axes; 12 mixed derivatives on two diagonals each.
  EXPECT_EQ(values_read<1>(), 8u * 7 + 12 * 4);
  EXPECT_EQ(values_read<2>(), 8u * 13 + 12 * 8);
  EXPECT_EQ(values_read<4>(), 8u * 25 + 12 * 16);
  EXPECT_EQ(values_read<3>(), 8u * 19 + 12 * 12);
  EXPECT_EQ(counts.adds, 295);
  EXPECT_EQ(counts.products, 98);
  EXPECT_EQ(counts.fused, 196);
  EXPECT_EQ(counts.divisions, 1);
  EXPECT_EQ(counts.exponentials, 2);
  EXPECT_EQ(counts.flops(), 785);
}

}  // namespace
