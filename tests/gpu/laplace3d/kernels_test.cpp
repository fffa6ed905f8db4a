// SPDX-License-Identifier: BSD-3-Clause
// The cells that one launch writes, compared with the host kernels.
#include <gtest/gtest.h>

#include "domain/internals.hpp"
#include "gpu/exchange/gpus.hpp"
#include "gpu/launched_update.hpp"
#include "halocline/halocline.hpp"
#include "laplace3d/kernels.hpp"
#include "laplace3d/row.hpp"
#include "support/seeded.hpp"

namespace {

using namespace halocline;
using laplace3d::Stencil;

template <typename T>
class OneSlab {
 public:
  OneSlab(const Vec3& extent, Stencil stencil)
      : problem{extent, stencil, laplace3d::default_coefficients(stencil)},
        domain(extent, laplace3d::radius_of(stencil), options()) {
    field = domain.add_field<T>("u", {.buffers = 2});
    domain.realize();
    kernels = laplace3d::make_kernels<T>(internals(domain).backend(), problem);
  }
  ~OneSlab() {
    kernels.reset();
    domain.close();
  }
  static DomainOptions options() {
    DomainOptions options;
    options.boundaries = {Boundary::open, Boundary::open, Boundary::open};
    options.devices.kind = halocline::DeviceKind::cuda;
    options.devices.per_rank = 1;
    return options;
  }

  /// One launch for several boxes.
  void expect_update(const std::vector<Box>& boxes, std::uint64_t seed) {
    const Subdomain& s = domain.subdomains()[0];
    test::expect_launched_update(
        s, field, seed, to_string(problem.extent) + ", points " + std::to_string(static_cast<int>(problem.stencil)),
        [&](const View<const T>& source, const View<T>& target) {
          kernels->update(stream_of(s), boxes, source, target);
        },
        [&](const View<const T>& source, const View<T>& target) {
          for (const Box& box : boxes) {
            if (!box.empty()) laplace3d::update_box<T>(problem, box, source, target);
          }
        });
  }

  laplace3d::Problem problem;
  Domain domain;
  Field<T> field;
  std::unique_ptr<laplace3d::Kernels<T>> kernels;
};

template <typename T>
class LaplaceOnAGpu : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(LaplaceOnAGpu, Types);

/// All planes, the planes that no neighbour reads, one or more planes on either side, and other ranges.
TYPED_TEST(LaplaceOnAGpu, updates_the_boxes_it_is_given_and_nothing_else) {
  HALOCLINE_NEEDS_GPUS(1);
  std::uint64_t seed = 0;
  for (const Stencil stencil : {Stencil::points7, Stencil::points19}) {
    for (const Vec3& extent :
         {Vec3{128, 40, 33}, {256, 64, 70}, {131, 17, 21}, {7, 100, 9}, {300, 3, 2}, {33, 1, 70}}) {
      OneSlab<TypeParam> one(extent, stencil);
      const auto planes = [&](std::int64_t lo, std::int64_t hi) { return Box{{0, 0, lo}, {extent.x, extent.y, hi}}; };
      const std::int64_t depth = extent.z;
      one.expect_update({planes(0, depth)}, ++seed);
      one.expect_update({planes(1, depth - 1)}, ++seed);
      one.expect_update({planes(0, 1)}, ++seed);
      one.expect_update({planes(0, 1), planes(depth - 1, depth)}, ++seed);
      if (depth > 6) one.expect_update({planes(0, 3), planes(depth - 3, depth)}, ++seed);
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
}

}  // namespace
