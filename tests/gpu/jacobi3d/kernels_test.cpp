// SPDX-License-Identifier: BSD-3-Clause
// The cells that one launch writes, compared with the host kernels.
#include <gtest/gtest.h>

#include "domain/internals.hpp"
#include "gpu/exchange/gpus.hpp"
#include "gpu/launched_update.hpp"
#include "halocline/halocline.hpp"
#include "jacobi3d/jacobi3d.hpp"
#include "support/seeded.hpp"

namespace {

using namespace halocline;

template <typename T>
class OneSubdomain {
 public:
  explicit OneSubdomain(const Vec3& extent, int steps_per_exchange = 1, const Boundaries& boundaries = all_periodic)
      : problem{extent}, domain(extent, Stencil::star(1), options(steps_per_exchange, boundaries)) {
    field = domain.add_field<T>("t", {.buffers = 2});
    domain.realize();
    kernels = jacobi3d::make_kernels<T>(domain, problem);
  }
  ~OneSubdomain() {
    kernels.reset();
    domain.close();
  }
  static DomainOptions options(int steps_per_exchange, const Boundaries& boundaries) {
    DomainOptions options;
    options.boundaries = boundaries;
    options.devices.kind = halocline::DeviceKind::cuda;
    options.devices.per_rank = 1;
    options.steps_per_exchange = steps_per_exchange;
    return options;
  }
  [[nodiscard]] const Subdomain& subdomain() const { return domain.subdomains()[0]; }
  [[nodiscard]] Field<const T> constant() const { return {field.id}; }

  /// One launch for several boxes.
  void expect_update(const std::vector<Box>& boxes, std::uint64_t seed) {
    test::expect_launched_update(
        subdomain(), field, seed, to_string(problem.extent),
        [&](const View<const T>& source, const View<T>& target) {
          kernels->update(subdomain(), boxes, source, target);
        },
        [&](const View<const T>& source, const View<T>& target) {
          for (const Box& box : boxes) {
            if (!box.empty()) jacobi3d::update_box<T>(problem, box, source, target);
          }
        });
  }

  jacobi3d::Problem problem;
  Domain domain;
  Field<T> field;
  std::unique_ptr<jacobi3d::Kernels<T>> kernels;
};

template <typename T>
class JacobiOnAGpu : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(JacobiOnAGpu, Types);

const std::vector<Vec3> extents{{128, 40, 33}, {131, 17, 21}, {1, 50, 40}, {7, 100, 9},
                                {300, 3, 2},   {33, 1, 70},   {1, 1, 1}};

TYPED_TEST(JacobiOnAGpu, updates_the_boxes_it_is_given_and_nothing_else) {
  HALOCLINE_NEEDS_GPUS(1);
  std::uint64_t seed = 0;
  for (const Vec3& extent : extents) {
    OneSubdomain<TypeParam> one(extent);
    const Subdomain& s = one.subdomain();
    one.expect_update({s.owned()}, ++seed);
    one.expect_update({s.interior()}, ++seed);
    one.expect_update(s.boundary(), ++seed);
    halocline::test::Seeded seeded(seed);
    for (int round = 0; round < 4; ++round) {
      Box box;
      for (int dim = 0; dim < 3; ++dim) {
        box.lo[dim] = seeded.between(0, extent[dim] - 1);
        box.hi[dim] = seeded.between(box.lo[dim] + 1, extent[dim]);
      }
      one.expect_update({box}, ++seed);
    }
  }
}

/// Without halos in x: the ends of a row are each other's neighbours.
TYPED_TEST(JacobiOnAGpu, wraps_around_the_ends_of_whole_rows) {
  HALOCLINE_NEEDS_GPUS(1);
  std::uint64_t seed = 50;
  for (const Vec3& extent : {Vec3{128, 40, 33},
                             {256, 17, 21},
                             {131, 17, 21},
                             {132, 9, 8},
                             {64, 20, 30},
                             {1, 50, 40},
                             {2, 40, 9},
                             {7, 100, 9},
                             {300, 3, 2},
                             {33, 1, 70},
                             {1, 1, 1}}) {
    for (const int steps_per_exchange : {1, 2}) {
      if (steps_per_exchange > extent.y || steps_per_exchange > extent.z) continue;
      OneSubdomain<TypeParam> one(extent, steps_per_exchange, jacobi3d::boundaries);
      const Subdomain& s = one.subdomain();
      ASSERT_TRUE(s.wraps(0));
      one.expect_update({s.owned()}, ++seed);
      one.expect_update({s.update_box(0)}, ++seed);
      one.expect_update({s.interior()}, ++seed);
      one.expect_update(s.boundary(), ++seed);
    }
  }
}

/// Whole blocks and others, and arrays of which a part stays in the cache: those are updated backwards in one of two steps.
TYPED_TEST(JacobiOnAGpu, updates_large_boxes_from_either_array_to_the_other) {
  HALOCLINE_NEEDS_GPUS(1);
  std::uint64_t seed = 150;
  for (const Vec3& extent : {Vec3{128, 128, 132}, {256, 256, 160}, {260, 200, 210}, {264, 200, 210}}) {
    OneSubdomain<TypeParam> one(extent, 1, jacobi3d::boundaries);
    for (int step = 0; step < 2; ++step) {
      one.expect_update({one.subdomain().owned()}, ++seed);
      one.expect_update({one.subdomain().interior()}, ++seed);
      one.domain.swap(one.field);
    }
  }
}

/// Rows then begin below the first owned cell, and spheres have images.
TYPED_TEST(JacobiOnAGpu, updates_boxes_beyond_the_domain_and_nothing_else) {
  HALOCLINE_NEEDS_GPUS(1);
  std::uint64_t seed = 100;
  for (const Vec3& extent : {Vec3{128, 40, 33}, {131, 17, 21}, {7, 100, 9}, {300, 6, 6}, {6, 6, 6}}) {
    for (const int steps_per_exchange : {2, 3, 6}) {
      OneSubdomain<TypeParam> one(extent, steps_per_exchange);
      const Subdomain& s = one.subdomain();
      for (int step = 0; step < steps_per_exchange; ++step) one.expect_update({s.update_box(step)}, ++seed);
      one.expect_update(s.boundary(), ++seed);
      halocline::test::Seeded seeded(seed);
      const Box all = s.update_box(0);
      for (int round = 0; round < 4; ++round) {
        Box box;
        for (int dim = 0; dim < 3; ++dim) {
          box.lo[dim] = seeded.between(all.lo[dim], all.hi[dim] - 1);
          box.hi[dim] = seeded.between(box.lo[dim] + 1, all.hi[dim]);
        }
        one.expect_update({box}, ++seed);
      }
    }
  }
}

TYPED_TEST(JacobiOnAGpu, begins_with_the_spheres_and_measures_differences_as_the_host_does) {
  HALOCLINE_NEEDS_GPUS(1);
  for (const Vec3& extent : extents) {
    OneSubdomain<TypeParam> one(extent);
    const Subdomain& s = one.subdomain();
    one.kernels->initialise(s, s.view(one.field));
    const HostBytes before(s, one.field.id);
    const HostBytes after(s, one.field.id);
    before.download(s, one.field.id);
    jacobi3d::initialise_box<TypeParam>(one.problem, s.owned(), after.template view<TypeParam>());
    for_each_cell(s.owned(), [&](const Vec3& p) {
      ASSERT_EQ(before.template view<TypeParam>()(p), after.template view<TypeParam>()(p)) << to_string(p);
    });
    halocline::test::Seeded seeded(5);
    for_each_cell(s.owned(), [&](const Vec3& p) {
      after.template view<TypeParam>()(p) = static_cast<TypeParam>(seeded.between(0, 1000)) / 7;
    });
    after.upload(s, one.field.id, 1);
    const auto result = internals(one.domain).backend().allocate_pinned(sizeof(jacobi3d::Difference));
    auto* found = reinterpret_cast<jacobi3d::Difference*>(result->data());
    one.kernels->difference(s, s.view(one.constant()), s.view(one.constant(), 1), found);
    s.stream().synchronize();
    const auto expected = jacobi3d::difference<TypeParam>(s.owned(), before.template view<const TypeParam>(),
                                                          after.template view<const TypeParam>());
    EXPECT_EQ(found->max, expected.max);
    EXPECT_NEAR(found->sum_of_squares, expected.sum_of_squares, 1e-12 * expected.sum_of_squares);
  }
}

}  // namespace
