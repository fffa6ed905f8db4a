// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "halocline/halocline.hpp"

namespace halocline {
namespace {

/// Continues the nearest layer beyond open ends; with the order x, y, z every halo cell then holds the value of the
/// nearest cell of the domain.
TEST(OpenBoundary, a_hook_that_copies_the_nearest_layer_fills_edges_and_corners_too) {
  DomainOptions options;
  options.devices.per_rank = 4;
  options.boundaries = {Boundary::open, Boundary::periodic, Boundary::open};
  const Vec3 extent{8, 9, 10};
  Domain domain(extent, Stencil::box(2), options);
  const auto u = domain.add_field<double>("u");
  domain.realize();
  const auto value = [&](Vec3 p) {
    p.x = std::clamp<std::int64_t>(p.x, 0, extent.x - 1);
    p.y = (p.y + extent.y) % extent.y;
    p.z = std::clamp<std::int64_t>(p.z, 0, extent.z - 1);
    return static_cast<double>(p.x + 100 * p.y + 10000 * p.z);
  };
  int calls = 0;
  domain.on_open_boundary([&](const Subdomain& subdomain, field_id, const overlap::OpenBoundaryBox& boundary) {
    ++calls;
    subdomain.launch(boundary.box, [=, view = subdomain.view(u), owned = subdomain.owned()](const Box& part) {
      const int dim = static_cast<int>(boundary.dim);
      for_each_cell(part, [&](const Vec3& p) {
        Vec3 nearest = p;
        nearest[dim] = boundary.side == Side::lower ? owned.lo[dim] : owned.hi[dim] - 1;
        view(p) = view(nearest);
      });
    });
  });
  for (const auto& subdomain : domain.subdomains()) {
    const auto view = subdomain.view(u);
    for_each_cell(view.with_halo(), [&](const Vec3& p) { view(p) = view.owned().contains(p) ? value(p) : -1; });
  }
  domain.exchange();
  domain.synchronize();
  EXPECT_GT(calls, 0);
  for (const auto& subdomain : domain.subdomains()) {
    const auto view = subdomain.view(u);
    for_each_cell(view.with_halo(), [&](const Vec3& p) { EXPECT_EQ(view(p), value(p)) << to_string(p); });
  }
  domain.close();
}

}  // namespace
}  // namespace halocline
