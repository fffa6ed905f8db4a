// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "fields.hpp"
#include "halocline/error.hpp"
#include "partition/halo.hpp"
#include "partition/strategy.hpp"
#include "support/error_of.hpp"

namespace halocline::partition {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal_of(const Request& request) {
  return test::error_of<InvalidArgument>([&] { return make_partition(request); });
}

TEST(Fit, SaysHowManyDevicesWouldFit) {
  const Request request{.extent = {10, 10, 10}, .halo = Stencil::box(3), .nodes = 8, .devices_per_node = 4};
  EXPECT_THAT(refusal_of(request),
              AllOf(HasSubstr("10 x 10 x 10"), HasSubstr("width 3"), HasSubstr("8 nodes of 4 devices"),
                    HasSubstr("3 x 3 x 3"), HasSubstr("27 in all would fit")));
}

TEST(Fit, RefusesADomainThatIsThinnerThanItsRadius) {
  const Request request{.extent = {10, 10, 2}, .halo = Stencil::box(3)};
  EXPECT_THAT(refusal_of(request), AllOf(HasSubstr("10 x 10 x 2"), HasSubstr("at least 3 x 3 x 3")));
}

TEST(Fit, AllowsAThinDimensionThatIsOpenAndNotCut) {
  Request request{.extent = {64, 64, 1}, .halo = Stencil::box(3), .nodes = 4};
  EXPECT_THROW((void)make_partition(request), InvalidArgument);
  request.boundaries = {Boundary::periodic, Boundary::periodic, Boundary::open};
  EXPECT_EQ(make_partition(request).grid(), (Vec3{2, 2, 1}));
}

TEST(Fit, NamesAGridThatFitsWhereBisectionDoesNot) {
  Request request{.extent = {5, 3, 1}, .halo = Stencil::box(1), .nodes = 12};
  request.method = Method::bisection;
  EXPECT_THAT(refusal_of(request), AllOf(HasSubstr("6 x 2 x 1"), HasSubstr("extents of at least 6 x 2 x 1"),
                                         HasSubstr("'exact'"), HasSubstr("4 x 3 x 1")));
}

TEST(Fit, NamesTheExtentsThatAGivenGridNeeds) {
  Request request{.extent = {100, 10, 100}, .halo = Stencil::box(3), .nodes = 4};
  request.method = Method::given;
  request.node_grid = Vec3{1, 4, 1};
  EXPECT_THAT(refusal_of(request), AllOf(HasSubstr("3 x 12 x 3"), HasSubstr("'exact' finds")));
  request.device_grid = Vec3{1, 1, 1};
  EXPECT_THAT(refusal_of(request), AllOf(HasSubstr("1 x 4 x 1"), HasSubstr("3 x 12 x 3")));
  request.extent.y = 12;
  EXPECT_EQ(make_partition(request).grid(), (Vec3{1, 4, 1}));
}

TEST(Fit, GivenGridsMustHaveThePartsThatThereAre) {
  Request request{.extent = {64, 64, 64}, .halo = Stencil::box(1), .nodes = 4, .devices_per_node = 2};
  request.method = Method::given;
  EXPECT_THAT(refusal_of(request), HasSubstr("node_grid"));
  request.node_grid = Vec3{2, 3, 1};
  EXPECT_THAT(refusal_of(request), AllOf(HasSubstr("2 x 3 x 1"), HasSubstr("4")));
  request.node_grid = Vec3{-2, -2, 1};
  EXPECT_THAT(refusal_of(request), HasSubstr("1 or more"));
  request.node_grid = Vec3{1, 1, 4};
  EXPECT_EQ(make_partition(request).device_grid(), (Vec3{1, 2, 1}));  // the choice of exact
}

TEST(Fit, RefusesNumbersThatMakeNoSense) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(refusal_of({.extent = {0, 1, 1}, .halo = {}}), HasSubstr("0 x 1 x 1"));
  EXPECT_THAT(refusal_of({.extent = {9, 9, 9}, .halo = {}, .nodes = 0}), HasSubstr("nodes is 0"));
  EXPECT_THAT(refusal_of({.extent = {9, 9, 9}, .halo = {}, .nodes = 1, .devices_per_node = -1}), HasSubstr("-1"));
  EXPECT_THAT(refusal_of({.extent = {9, 9, 9}, .halo = {}, .nodes = most, .devices_per_node = most}), HasSubstr("729"));
  EXPECT_THAT(refusal_of({.extent = {most, most, 9}, .halo = {}}), HasSubstr("2^63"));
  EXPECT_THAT(refusal_of({.extent = {most, 1, 1}, .halo = Stencil::box(most)}), HasSubstr("too small"));
  EXPECT_THAT(refusal_of({.extent = {2, 2, 2}, .halo = {}, .nodes = 7}), HasSubstr("4 in all"));
}

TEST(Fit, MethodsHaveNames) {
  for (const Method m : {Method::bisection, Method::exact, Method::z_order, Method::given}) {
    EXPECT_EQ(method_from_string(to_string(m)), m);
  }
  EXPECT_THAT(test::error_of<InvalidArgument>([] { return method_from_string("zorder"); }),
              AllOf(HasSubstr("'zorder'"), HasSubstr("bisection, exact, z_order, given")));
}

Geometry in_two(std::int64_t thin, const Stencil& radius, Boundary boundary) {
  return {Partition({10, 8, 8}, {2, 1, 1}, {1, 1, 1}, {{{0, thin, 10}, {0, 8}, {0, 8}}}, Order::row_major),
          {field_named("u")},
          radius,
          {boundary, Boundary::periodic, Boundary::periodic}};
}

TEST(CheckFits, LooksAtWhatNeighboursRead) {
  EXPECT_NO_THROW(check_fits(in_two(3, Stencil::box(3), Boundary::periodic)));
  EXPECT_THAT(
      test::error_of<InvalidArgument>([] {
        check_fits(in_two(2, Stencil::box(3), Boundary::periodic));
        return 0;
      }),
      AllOf(HasSubstr("in x is 2 cells thick"), HasSubstr("3 or more"), HasSubstr("'u'"), HasSubstr("6 cells")));
  // The upper subdomain reads its lower halo, of 2 cells, from the thin one; no subdomain reads 4 cells of it if x is
  // open.
  const Stencil uneven = Stencil::per_side({2, 1, 1}, {4, 1, 1});
  EXPECT_NO_THROW(check_fits(in_two(2, uneven, Boundary::open)));
  EXPECT_THROW(check_fits(in_two(2, uneven, Boundary::periodic)), InvalidArgument);
  EXPECT_THROW(check_fits(in_two(1, uneven, Boundary::open)), InvalidArgument);
}

TEST(CheckFits, LooksAtWrapsOntoOneself) {
  const auto with = [](const std::vector<FieldDescriptor>& fields, Boundary in_z) {
    Partition whole({10, 8, 2}, {1, 1, 1}, {1, 1, 1}, {{{0, 10}, {0, 8}, {0, 2}}}, Order::row_major);
    return Geometry(std::move(whole), fields, Stencil::box(3), {Boundary::periodic, Boundary::periodic, in_z});
  };
  EXPECT_THROW(check_fits(with({field_named("u")}, Boundary::periodic)), InvalidArgument);
  EXPECT_NO_THROW(check_fits(with({field_named("u")}, Boundary::open)));
  EXPECT_THROW(check_fits(with({field_named("u"), field_named("v", Stencil::box(9))}, Boundary::open)),
               InvalidArgument);
}

TEST(CheckFits, CountsTheLayerOfAStaggeredField) {
  Geometry g = in_two(8, Stencil::box(3), Boundary::open);  // 8 and 2 cells
  EXPECT_THROW(check_fits(g), InvalidArgument);
  g.fields[0].staggered[0] = true;  // 8 and 3
  EXPECT_NO_THROW(check_fits(g));
}

TEST(Fit, AMethodWithoutANameIsAnError) {
  EXPECT_EQ(test::error_of<InternalError>([] { return to_string(static_cast<Method>(99)); }),
            "a partition method without a name");
}

/// It depends on a machine, which partitions do not know.
TEST(Fit, AutomaticIsRefused) {
  Request request{.extent = {9, 9, 9}, .halo = {}};
  request.method = Method::automatic;
  EXPECT_EQ(refusal_of(request), "method is 'automatic', which depends on a machine; allowed here are the others");
}

TEST(Fit, GridsOfNothingAreNamedWithWhatTheyAreOf) {
  Request request{.extent = {9, 9, 9}, .halo = {}, .nodes = 2, .devices_per_node = 2};
  request.method = Method::given;
  EXPECT_EQ(refusal_of(request), "method is 'given', but no grid is; allowed are a node_grid, a device_grid or both");
  for (const Vec3& none : {Vec3{0, 1, 2}, Vec3{2, 0, 1}, Vec3{1, 2, 0}}) {
    request.node_grid = none;
    EXPECT_EQ(refusal_of(request),
              "node_grid is " + to_string(none) + "; allowed are 1 or more parts in each dimension");
  }
  request.node_grid = {};
  request.device_grid = Vec3{3, 1, 1};
  EXPECT_EQ(refusal_of(request),
            "device_grid is 3 x 1 x 1, 3 parts; allowed are grids of as many parts as there are devices a node, 2");
}

TEST(Fit, DomainsWithoutCellsAreRefused) {
  for (const Vec3& none : {Vec3{0, 9, 9}, Vec3{9, -1, 9}, Vec3{9, 9, 0}}) {
    EXPECT_EQ(refusal_of({.extent = none, .halo = {}}),
              "domain extent is " + to_string(none) + "; allowed are 1 or more cells in each dimension");
  }
}

/// The grid of devices alone: what bisection would make of the nodes is shown with it.
TEST(Fit, AGivenDeviceGridThatFitsNowhereIsShownWithAGridThatDoes) {
  Request request{.extent = {12, 2, 2}, .halo = Stencil::box(2), .nodes = 2, .devices_per_node = 2};
  request.method = Method::given;
  request.device_grid = Vec3{1, 2, 1};
  const std::string refusal = refusal_of(request);
  EXPECT_THAT(refusal, HasSubstr("2 x 2 x 1"));
  EXPECT_THAT(refusal, HasSubstr("4 x 1 x 1"));
}

TEST(Partitions, OfOneExtentDifferByGridCutsOrOrder) {
  const auto parts = [](const Vec3& nodes, const Vec3& devices, std::int64_t cut, Order order) {
    return Partition({8, 8, 8}, nodes, devices, {{{0, cut, 8}, {0, 4, 8}, {0, 8}}}, order);
  };
  const Partition one = parts({2, 1, 1}, {1, 2, 1}, 4, Order::row_major);
  EXPECT_EQ(one, parts({2, 1, 1}, {1, 2, 1}, 4, Order::row_major));
  EXPECT_FALSE(one == parts({1, 2, 1}, {2, 1, 1}, 4, Order::row_major));
  EXPECT_FALSE(one == parts({2, 1, 1}, {1, 2, 1}, 3, Order::row_major));
  EXPECT_FALSE(one == parts({2, 1, 1}, {1, 2, 1}, 4, Order::z_order));
  EXPECT_FALSE(one == Partition({9, 8, 8}, {2, 1, 1}, {1, 2, 1}, {{{0, 4, 9}, {0, 4, 8}, {0, 8}}}, Order::row_major));
}

}  // namespace
}  // namespace halocline::partition
