// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "comm/local_ranks.hpp"
#include "halocline/halocline.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

/// Copies the nearest layer beyond open ends; in the order x, y, z every halo cell then equals the nearest cell of the
/// domain.
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

DomainOptions open_in_x_and_z() {
  DomainOptions options;
  options.devices.per_rank = 3;
  options.boundaries = {Boundary::open, Boundary::periodic, Boundary::open};
  return options;
}

TEST(OpenBoundary, an_exchange_that_leaves_halos_beyond_an_end_unfilled_is_refused) {
  Domain domain({8, 9, 12}, Stencil::box(0, 1, 2), open_in_x_and_z());
  const auto u = domain.add_field<double>("u");
  domain.realize();
  const auto refused = testing::StrEq(
      "the stencil of field 'u' reads 2 cells beyond the lower end of z, which is open, and on_open_boundary() was not "
      "called; allowed is an exchange after on_open_boundary(fill), or, where kernels handle the end themselves, after "
      "on_open_boundary() without a function ({}, NULL, None; in Fortran leave_open_boundaries())");
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { (void)domain.start_exchange(); }), refused);
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.exchange({{u, Directions().set(), 1}}); }), refused);
  for (const auto& s : domain.subdomains()) {
    const auto view = s.view(u);
    for_each_cell(view.with_halo(), [&](const Vec3& p) { view(p) = view.owned().contains(p) ? 1 : -1; });
  }
  domain.on_open_boundary({});
  domain.exchange();
  domain.synchronize();
  for (const auto& s : domain.subdomains()) {
    const auto view = s.view(u);
    for_each_cell(view.with_halo(), [&](const Vec3& p) { EXPECT_EQ(view(p), p.z < 0 || p.z >= 12 ? -1 : 1); });
  }
  domain.close();
}

TEST(OpenBoundary, only_exchanges_of_fields_that_read_beyond_an_end_need_the_hook) {
  Domain domain({8, 9, 12}, Stencil::box(1), open_in_x_and_z());
  const auto inside = domain.add_field<double>("inside", {.stencil = Stencil::box(0, 2, 0)});
  const auto above = domain.add_field<double>("above", {.stencil = Stencil::per_side({}, {1, 0, 0})});
  domain.realize();
  domain.exchange({{inside}});
  for (const auto& transfers : {std::vector<Transfer>{{above}}, {{inside}, {above}}}) {
    EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.exchange(transfers); }),
                testing::StartsWith("the stencil of field 'above' reads 1 cell beyond the upper end of x, which is "));
  }
  domain.close();
}

TEST(OpenBoundary, ranks_away_from_the_end_refuse_the_exchange_too) {
  std::atomic<int> refused = 0;
  comm::run_as_threads(3, [&](comm::RankGroup& comm) {
    DomainOptions options = open_in_x_and_z();
    options.devices.per_rank = 1;
    Domain domain({8, 8, 24}, Stencil::box(0, 0, 1), comm, options);
    domain.add_field<double>("u");
    domain.realize();
    EXPECT_THROW(domain.exchange(), InvalidArgument);
    ++refused;
    domain.on_open_boundary({});
    domain.exchange();
    domain.close();
  });
  EXPECT_EQ(refused, 3);
}

}  // namespace
}  // namespace halocline
