// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/field.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>

#include "halocline/error.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

TEST(Element, names_and_sizes_go_both_ways) {
  for (const auto& [name, bytes] : std::initializer_list<std::pair<const char*, int>>{
           {"i8", 1}, {"u16", 2}, {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"c64", 8}, {"c128", 16}}) {
    const Element element = element_from_string(name);
    EXPECT_EQ(to_string(element), name);
    EXPECT_EQ(bytes_of(element), bytes);
  }
  EXPECT_EQ(element_of<double>(), Element::f64);
  EXPECT_EQ(element_of<unsigned char>(), Element::u8);
  EXPECT_EQ(element_of<std::complex<double>>(), Element::c128);
}

/// The members of a complex number that element_of requires, as in thrust::complex.
template <typename T>
struct OwnComplex {
  using value_type = T;
  [[nodiscard]] T real() const { return parts[0]; }
  [[nodiscard]] T imag() const { return parts[1]; }
  std::array<T, 2> parts;
};

TEST(Element, complex_numbers_of_any_library_have_one) {
  EXPECT_EQ(element_of<std::complex<float>>(), Element::c64);
  EXPECT_EQ(element_of<OwnComplex<float>>(), Element::c64);
  EXPECT_EQ(element_of<OwnComplex<double>>(), Element::c128);
}

TEST(Element, an_unknown_name_is_refused_with_those_that_are_known) {
  try {
    static_cast<void>(element_from_string("float"));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("'float'; allowed are i8, u8"), std::string::npos) << error.what();
  }
}

TEST(Element, that_is_none_is_an_error_of_the_library) {
  EXPECT_EQ(test::error_of<InternalError>([] { return bytes_of(static_cast<Element>(99)); }),
            "an Element without a row in the table");
}

TEST(Reduce, has_names) {
  EXPECT_EQ(to_string(Reduce::sum), "sum");
  EXPECT_EQ(to_string(Reduce::sum_of_squares), "sum_of_squares");
  EXPECT_EQ(to_string(Reduce::min), "min");
  EXPECT_EQ(to_string(Reduce::max), "max");
  EXPECT_EQ(to_string(Reduce::max_abs), "max_abs");
  EXPECT_EQ(to_string(static_cast<Reduce>(99)), "unknown");
}

Directions some(std::initializer_list<Direction> directions) {
  Directions all;
  for (const Direction d : directions) all.set(static_cast<std::size_t>(d.index()));
  return all;
}

TEST(Velocities, components_cross_the_directions_that_they_stream_through) {
  const auto of = [](const Vec3& velocity) { return directions_of_velocities(std::array{velocity})[0]; };
  EXPECT_EQ(of({0, 0, 0}), Directions());
  EXPECT_EQ(of({0, -1, 0}), some({Direction::of(0, -1, 0)}));
  EXPECT_EQ(of({1, -1, 0}), some({Direction::of(1, 0, 0), Direction::of(0, -1, 0), Direction::of(1, -1, 0)}));
  EXPECT_EQ(of({-3, 0, 2}), of({-1, 0, 1}));
  const Directions corner = of({1, 1, -1});
  EXPECT_EQ(corner.count(), 7u);
  EXPECT_TRUE(corner.test(static_cast<std::size_t>(Direction::of(1, 1, -1).index())));
}

/// A cell reads a component at itself minus the velocity; the expectation visits each halo cell around a box.
TEST(Velocities, what_cells_read_arrives_and_nothing_else) {
  const Box owned{{0, 0, 0}, {3, 3, 3}};
  std::vector<Vec3> velocities;
  for_each_cell(Box{{-1, -1, -1}, {2, 2, 2}}, [&](const Vec3& e) { velocities.push_back(e); });
  const std::vector<Directions> directions = directions_of_velocities(velocities);
  ASSERT_EQ(directions.size(), 27u);
  for (std::size_t c = 0; c < velocities.size(); ++c) {
    Directions read;
    for_each_cell(owned, [&](const Vec3& cell) {
      const Vec3 from = cell - velocities[c];
      int side[3];
      for (int dim = 0; dim < 3; ++dim) side[dim] = from[dim] < 0 ? -1 : (from[dim] >= 3 ? 1 : 0);
      if (owned.contains(from)) return;
      read.set(static_cast<std::size_t>(Direction::of(side[0], side[1], side[2]).opposite().index()));
    });
    EXPECT_EQ(directions[c], read) << to_string(velocities[c]);
  }
}

}  // namespace
}  // namespace halocline
