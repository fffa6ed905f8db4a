// SPDX-License-Identifier: BSD-3-Clause
// FieldDescriptor::x_halos_apart: where halos in x lie, what reaches them, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/local_ranks.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using test::error_of;
using testing::HasSubstr;

/// The number of a cell of the domain; beyond open ends likewise.
double number_of_cell(const Vec3& p) { return static_cast<double>(p.x + 100 * p.y + 10'000 * p.z); }

Vec3 inside(const Vec3& p, const Vec3& cells_of_domain) {
  return {(p.x + cells_of_domain.x) % cells_of_domain.x, (p.y + cells_of_domain.y) % cells_of_domain.y,
          (p.z + cells_of_domain.z) % cells_of_domain.z};
}

const Vec3 cells_of_domain{16, 10, 12};

struct ApartOptions {
  int devices = 2;
  Boundaries boundaries = all_periodic;
  int steps_per_exchange = 1;
};

/// A field f64 of two buffers on host devices, with a lopsided stencil.
class XHalosApart : public testing::Test {
 protected:
  void make(const ApartOptions& given = {}) {
    DomainOptions options;
    options.devices = {.kind = DeviceKind::host, .per_rank = given.devices};
    options.boundaries = given.boundaries;
    options.steps_per_exchange = given.steps_per_exchange;
    domain = std::make_unique<Domain>(cells_of_domain, Stencil::per_side({2, 1, 1}, {3, 1, 2}), options);
    u = domain->add_field<double>("u", {.buffers = 2, .x_halos_apart = true});
  }
  void fill_owned() {
    for (const Subdomain& s : domain->subdomains()) {
      s.launch(s.owned(), [view = s.split_view(u).rows()](const Box& part) {
        for_each_cell(part, [&](const Vec3& p) { view(p) = number_of_cell(p); });
      });
    }
  }
  void TearDown() override {
    if (domain) domain->close();
  }
  std::unique_ptr<Domain> domain;
  Field<double> u;
};

TEST_F(XHalosApart, leave_rows_of_owned_cells_and_have_rows_without_gaps) {
  make({.devices = 1});
  domain->realize();
  const Subdomain& s = domain->subdomains().front();
  const exchange::Array& array = internals(*domain).array(s, u.id);
  EXPECT_EQ(array.stride_bytes[1] % 64, 0);
  EXPECT_LT(array.stride_bytes[1], 3 * cells_of_domain.x * 8);
  EXPECT_EQ(array.spare_bytes, (std::array<std::int64_t, 2>{0, 0}));
  EXPECT_EQ(array.x_halos[0].stride_bytes.y, 2 * 8);
  EXPECT_EQ(array.x_halos[1].stride_bytes.y, 3 * 8);
  EXPECT_EQ(s.with_halo(u.id), (Box{{-2, -1, -1}, {19, 11, 14}}));
  EXPECT_EQ(s.split_view(u).rows().with_halo(), (Box{{0, -1, -1}, {16, 11, 14}}));
  EXPECT_EQ(s.bytes(u.id).with_halo(), (Box{{0, -1, -1}, {16, 11, 14}}));
}

TEST_F(XHalosApart, are_read_by_a_split_view) {
  for (const int devices : {1, 2, 4}) {
    make({.devices = devices});
    domain->realize();
    fill_owned();
    domain->exchange();
    domain->synchronize();
    for (const Subdomain& s : domain->subdomains()) {
      const SplitView<double> view = s.split_view(u);
      ASSERT_EQ(view.with_halo(), s.with_halo(u.id));
      for_each_cell(s.with_halo(u.id), [&](const Vec3& p) {
        ASSERT_EQ(view(p), number_of_cell(inside(p, cells_of_domain)));
        ASSERT_EQ(&view.row(p.y, p.z)(p.x), &view(p));
      });
    }
    domain->close();
  }
  domain.reset();
}

TEST_F(XHalosApart, are_in_copies_on_the_host) {
  make();
  domain->realize();
  fill_owned();
  domain->exchange();
  for (const Subdomain& s : domain->subdomains()) {
    const auto all = to_host(s, u);
    for_each_cell(s.with_halo(u.id),
                  [&](const Vec3& p) { ASSERT_EQ(all(p), number_of_cell(inside(p, cells_of_domain))); });
    const Box corner{s.owned().lo - Vec3{2, 1, 1}, s.owned().lo + Vec3{1, 1, 1}};
    const HostArray<double> part = to_host(s, u, corner);
    for_each_cell(corner, [&](const Vec3& p) { part(p) = -part(p); });
    part.upload(s, u);
    const auto view = s.split_view(u);
    for_each_cell(s.with_halo(u.id), [&](const Vec3& p) {
      ASSERT_EQ(view(p), (corner.contains(p) ? -1 : 1) * number_of_cell(inside(p, cells_of_domain)));
    });
  }
}

TEST_F(XHalosApart, beyond_open_ends_are_filled_by_a_hook_and_kept_by_rebalancing) {
  make({.boundaries = {Boundary::open, Boundary::open, Boundary::periodic}});
  domain->on_open_boundary([&](const Subdomain& s, field_id, const overlap::OpenBoundaryBox& open) {
    s.launch(open.box, [view = s.split_view(u)](const Box& part) {
      for_each_cell(part, [&](const Vec3& p) { view(p) = number_of_cell(p); });
    });
  });
  domain->realize();
  const auto expect_open_ends = [&](const char* when) {
    for (const Subdomain& s : domain->subdomains()) {
      const auto view = s.split_view(u);
      for_each_cell(s.with_halo(u.id), [&](const Vec3& p) {
        const bool open = p.x < 0 || p.x >= cells_of_domain.x || p.y < 0 || p.y >= cells_of_domain.y;
        const Vec3 q{p.x, p.y, open ? p.z : inside(p, cells_of_domain).z};
        if (!open && !s.owned().contains(p)) return;
        if (open && (p.z < s.owned().lo.z || p.z >= s.owned().hi.z)) return;
        ASSERT_EQ(view(p), number_of_cell(q)) << when;
      });
    }
  };
  fill_owned();
  domain->exchange();
  domain->synchronize();
  expect_open_ends("after the exchange");
  domain->rebalance(std::vector<double>{1, 2});
  domain->synchronize();
  expect_open_ends("after rebalance()");
}

TEST_F(XHalosApart, are_written_between_exchanges) {
  make({.steps_per_exchange = 2});
  domain->realize();
  fill_owned();
  domain->exchange();
  for (const Subdomain& s : domain->subdomains()) {
    s.launch(s.update_box(0), [now = s.split_view(u), next = s.split_view(u, 1)](const Box& part) {
      for_each_cell(part, [&](const Vec3& p) { next(p) = now(p) + 1; });
    });
  }
  domain->swap(u);
  domain->synchronize();
  for (const Subdomain& s : domain->subdomains()) {
    EXPECT_LT(s.update_box(0).lo.x, s.owned().lo.x);
    const auto view = s.split_view(u);
    for_each_cell(s.update_box(0),
                  [&](const Vec3& p) { ASSERT_EQ(view(p), number_of_cell(inside(p, cells_of_domain)) + 1); });
  }
}

TEST_F(XHalosApart, are_not_for_views_and_arrays_of_the_caller) {
  make();
  static_cast<void>(domain->plan());
  double cell = 0;
  EXPECT_EQ(error_of<InvalidArgument>([&] {
              domain->use_array(u.id, domain->subdomains().front().id(), 0, &cell, {8, 160, 1600});
            }),
            "array of field 'u' is the caller's own; allowed for a field whose halos in x are stored apart is "
            "Halocline's memory");
  domain->realize();
  const Subdomain& s = domain->subdomains().front();
  for (const auto& call :
       std::vector<std::function<void()>>{[&] { static_cast<void>(s.view(u)); }, [&] { static_cast<void>(s.read(u)); },
                                          [&] { static_cast<void>(s.write(u)); }}) {
    EXPECT_EQ(error_of<InvalidArgument>(call),
              "field 'u' has halos in x apart from its rows, which a View cannot reach; allowed is split_view(), or "
              "its rows()");
  }
  EXPECT_THAT(domain->explain(), HasSubstr("field 'u': f64, 2 buffers, halos in x apart"));
}

TEST_F(XHalosApart, are_the_same_on_all_ranks) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    Domain domain(cells_of_domain, Stencil::box(1), comm, {.devices = {.kind = DeviceKind::host}});
    domain.add_field<float>("u", {.x_halos_apart = comm.rank() == rank_id(1)});
    EXPECT_THAT(error_of<InvalidArgument>([&] { domain.realize(); }), HasSubstr("halos in x apart"));
  });
}

TEST(SplitViews, of_fields_with_halos_in_rows_are_views) {
  Domain domain(cells_of_domain, Stencil::box(1), {.devices = {.kind = DeviceKind::host}});
  const auto v = domain.add_field<float>("v");
  domain.realize();
  for (const Subdomain& s : domain.subdomains()) {
    const View<float> view = s.view(v);
    const SplitView<float> split = s.split_view(v);
    for_each_cell(view.with_halo(), [&](const Vec3& p) { ASSERT_EQ(&split(p), &view(p)); });
  }
  domain.close();
}

TEST(SplitViews, compare_with_bounds_where_that_is_asked_for) {
  std::vector<float> rows(4 * 4 * 4), halo(4 * 4);
  const Box owned = Box::of_extent({4, 4, 4});
  const View<const float, true> view(reinterpret_cast<std::byte*>(rows.data()), owned,
                                     owned.grown({1, 0, 0}, {0, 0, 0}), {4, 16, 64}, 256,
                                     {.field = "u", .subdomain = 0, .components = 1});
  const StridedCells below{reinterpret_cast<std::byte*>(halo.data()), {4, 4, 16}, 64};
  const SplitView<const float, true> split(view, {below, StridedCells{}});
  EXPECT_EQ(&split(-1, 3, 3), &halo[15]);
  EXPECT_EQ(&split(0, 0, 0), &rows[0]);
  EXPECT_THAT(error_of<InvalidArgument>([&] { static_cast<void>(split(4, 0, 0)); }), HasSubstr("(4, 0, 0)"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { static_cast<void>(split(-2, 0, 0)); }), HasSubstr("(-2, 0, 0)"));
  EXPECT_EQ(&split.row(3, 3)(-1), &halo[15]);
  EXPECT_THAT(error_of<InvalidArgument>([&] { static_cast<void>(split.row(3, 3)(-2)); }), HasSubstr("(-2, 3, 3)"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { static_cast<void>(split.rows()(-1, 0, 0)); }), HasSubstr("(-1, 0, 0)"));
}

}  // namespace
}  // namespace halocline
