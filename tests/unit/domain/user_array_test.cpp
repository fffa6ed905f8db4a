// SPDX-License-Identifier: BSD-3-Clause
// The user's spans as arrays: each order of indices, with padding, and refused ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <string>

#include "halocline/halocline.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using test::error_of;
using testing::HasSubstr;

/// The interface of std::mdspan with std::layout_stride: rank, extents, and strides in elements.
template <typename T, std::size_t Rank>
struct Strided {
  static constexpr std::size_t rank() { return Rank; }
  [[nodiscard]] std::size_t extent(std::size_t index) const { return extents[index]; }
  [[nodiscard]] std::size_t stride(std::size_t index) const { return strides[index]; }
  [[nodiscard]] T* data_handle() const { return cells; }
  [[nodiscard]] T& at(const std::array<std::size_t, Rank>& indices) const {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < Rank; ++i) offset += indices[i] * strides[i];
    return cells[offset];
  }
  T* cells = nullptr;
  std::array<std::size_t, Rank> extents{};
  std::array<std::size_t, Rank> strides{};
};

/// The interface of Kokkos::View: data() instead of data_handle().
struct ViewOfFloats {
  static constexpr std::size_t rank() { return 3; }
  [[nodiscard]] std::size_t extent(std::size_t index) const { return index + 1; }
  [[nodiscard]] std::size_t stride(std::size_t index) const { return 10 * (index + 1); }
  [[nodiscard]] float* data() const { return cells; }
  float* cells = nullptr;
};

constexpr Vec3 halo_below{1, 2, 1};
constexpr Vec3 halo_above{2, 1, 1};
constexpr int components = 2;

double value_of(const Vec3& p, int component) {
  return static_cast<double>(((p.z * 100 + p.y) * 100 + p.x) * 10 + component);
}

/// A span of all cells of a subdomain with halos; its indices are in the order of axes, each padded.
class Cells {
 public:
  Cells(const Box& owned, const std::string& axes) : first_(owned.lo - halo_below), axes_(axes) {
    const Vec3 extent = halo_below + owned.extent() + halo_above;
    std::size_t stride = 1;
    for (std::size_t i = 4; i-- > 0;) {
      const std::size_t dim = std::string("xyz").find(axes[i]);
      span.extents[i] = dim == std::string::npos ? components : static_cast<std::size_t>(extent[static_cast<int>(dim)]);
      span.strides[i] = stride;
      stride *= span.extents[i] + i;  // no padding of the first
    }
    memory_.assign(stride, -1);
    span.cells = memory_.data();
  }
  double& operator()(const Vec3& p, int component) {
    const Vec3 at = p - first_;
    std::array<std::size_t, 4> indices{};
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t dim = std::string("xyz").find(axes_[i]);
      indices[i] = static_cast<std::size_t>(dim == std::string::npos ? component : at[static_cast<int>(dim)]);
    }
    return span.at(indices);
  }
  Strided<double, 4> span;

 private:
  Vec3 first_;
  std::string axes_;
  std::vector<double> memory_;
};

class EachOrder : public testing::TestWithParam<std::string> {};

TEST_P(EachOrder, is_exchanged_in_place) {
  const std::string axes = GetParam();
  constexpr Vec3 extent{8, 6, 10};
  DomainOptions options;
  options.devices.per_rank = 2;
  Domain domain(extent, Stencil::per_side(halo_below, halo_above), options);
  const auto u = domain.add_field<double>("u", {.components = components});
  domain.plan();
  std::vector<Cells> cells;
  for (const Subdomain& s : domain.subdomains()) cells.emplace_back(s.owned(), axes);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Subdomain& s = domain.subdomains()[i];
    for_each_cell(s.owned(), [&](const Vec3& p) {
      for (int c = 0; c < components; ++c) cells[i](p, c) = value_of(p, c);
    });
    domain.use_array(u, s.id(), 0, array_of(cells[i].span, axes, halo_below, halo_above));
  }
  domain.realize();
  domain.exchange();
  domain.synchronize();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Box& owned = domain.subdomains()[i].owned();
    for_each_cell({owned.lo - halo_below, owned.hi + halo_above}, [&](const Vec3& p) {
      Vec3 in;
      for (int dim = 0; dim < 3; ++dim) in[dim] = (p[dim] + extent[dim]) % extent[dim];
      for (int c = 0; c < components; ++c) ASSERT_EQ(cells[i](p, c), value_of(in, c)) << to_string(p);
    });
  }
  domain.close();
}

std::vector<std::string> all_orders() {
  std::vector<std::string> all;
  std::string axes = "cxyz";
  do all.push_back(axes);
  while (std::ranges::next_permutation(axes).found);
  return all;
}

INSTANTIATE_TEST_SUITE_P(all, EachOrder, testing::ValuesIn(all_orders()),
                         [](const auto& param) { return param.param; });

TEST(ArrayOf, TakesTheExtentsAndStridesOfItsAxes) {
  float cell = 0;
  const UserArray array = array_of(ViewOfFloats{&cell}, "yzx", {1, 1, 1}, {0, 0, 0});
  EXPECT_EQ(array.data, &cell);
  EXPECT_EQ(array.extent, (Vec3{3, 1, 2}));
  EXPECT_EQ(array.stride_bytes, (std::array<std::int64_t, 3>{120, 40, 80}));
  EXPECT_EQ(array.halo_below, (Vec3{1, 1, 1}));
  EXPECT_EQ(array.component_stride_bytes, 0);
  EXPECT_EQ(array.components, 1);
  EXPECT_EQ(array.element, Element::f32);
}

TEST(ArrayOf, RefusesOtherAxesByName) {
  float cell = 0;
  for (const char* axes : {"", "xy", "xyy", "xyc", "xyzc", "xyw", "XYZ", "xyzx"}) {
    EXPECT_THAT(error_of<InvalidArgument>([&] { static_cast<void>(array_of(ViewOfFloats{&cell}, axes, {}, {})); }),
                HasSubstr(std::string("axes is '") + axes + "' for an array of 3 indices; allowed are x, y and z"));
  }
  const std::array<std::int64_t, 4> four{1, 1, 1, 1};
  EXPECT_THAT(
      error_of<InvalidArgument>([&] { static_cast<void>(array_of(&cell, Element::f32, four, four, "xyzz", {}, {})); }),
      HasSubstr("axes is 'xyzz' for an array of 4 indices"));
  EXPECT_THAT(error_of<InvalidArgument>([&] {
                static_cast<void>(array_of(&cell, Element::f32, {four.data(), 2}, four, "xyzc", {}, {}));
              }),
              HasSubstr("2 extents and 4 strides; allowed are 3 or 4 of both"));
}

TEST(ArrayOf, OfOtherComponentsOrElementsIsRefusedByUseArray) {
  Domain domain({8, 8, 8}, Stencil::per_side(halo_below, halo_above));
  const auto two = domain.add_field<double>("two", {.components = 2});
  const auto one = domain.add_field<double>("one");
  const auto complex = domain.add_field<std::complex<double>>("complex", {.components = 2});
  domain.plan();
  Cells cells({{0, 0, 0}, {8, 8, 8}}, "czyx");
  const UserArray array = array_of(cells.span, "czyx", halo_below, halo_above);
  domain.use_array(two, subdomain_id(0), 0, array);
  EXPECT_THAT(error_of<InvalidArgument>([&] { domain.use_array(one, subdomain_id(0), 0, array); }),
              HasSubstr("array of field 'one' of subdomain 0 has 2 components; allowed are the field's 1"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { domain.use_array(complex, subdomain_id(0), 0, array); }),
              HasSubstr("array of field 'complex' of subdomain 0 has elements f64; allowed are the field's, c128"));
}

}  // namespace
}  // namespace halocline
