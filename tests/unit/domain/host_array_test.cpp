// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/halocline.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using testing::HasSubstr;

double value(const Vec3& p, int component = 0) {
  return static_cast<double>(p.x + 100 * p.y + 10000 * p.z + 1000000 * component);
}

class HostCopies : public testing::Test {
 protected:
  HostCopies() : domain({9, 10, 11}, Stencil::per_side({1, 2, 0}, {2, 1, 3}), options()) {
    u = domain.add_field<double>("u", {.buffers = 2});
    FieldDescriptor pair;
    pair.name = "pair";
    pair.element = Element::i16;
    pair.components = 2;
    v = Field<std::int16_t>{domain.add_field(pair)};
    domain.realize();
  }
  ~HostCopies() override { domain.close(); }
  static DomainOptions options() {
    DomainOptions options;
    options.devices.kind = halocline::DeviceKind::host;
    options.devices.per_rank = 2;
    return options;
  }

  Domain domain;
  Field<double> u;
  Field<std::int16_t> v;
};

TEST_F(HostCopies, hold_every_cell_by_global_coordinates_after_the_work_that_was_enqueued) {
  for (const Subdomain& s : domain.subdomains()) {
    const auto view = s.view(u);
    s.launch(view.with_halo(),
             [view](const Box& part) { for_each_cell(part, [&](const Vec3& p) { view(p) = value(p); }); });
    const auto cells = to_host(s, u);
    EXPECT_EQ(cells.view().owned(), s.owned());
    EXPECT_EQ(cells.view().with_halo(), view.with_halo());
    EXPECT_EQ(cells.view().stride_bytes()[1], 8 * view.with_halo().extent().x) << "dense";
    for_each_cell(view.with_halo(), [&](const Vec3& p) { ASSERT_EQ(cells(p), value(p)) << to_string(p); });
  }
}

TEST_F(HostCopies, go_back_into_the_set_that_was_asked_for) {
  const Subdomain& s = domain.subdomains()[1];
  HostArray<double> cells(s, u);
  for (const int ahead : {0, 1}) {
    for_each_cell(cells.view().with_halo(), [&](const Vec3& p) { cells(p) = value(p) + ahead; });
    cells.upload(s, u, ahead);
  }
  for (const int ahead : {0, 1}) {
    for_each_cell(s.view(u).with_halo(), [&](const Vec3& p) { ASSERT_EQ(s.view(u, ahead)(p), value(p) + ahead); });
  }
  domain.swap(u);
  EXPECT_EQ(to_host(s, u)(s.owned().lo), value(s.owned().lo) + 1);
}

TEST_F(HostCopies, keep_components_apart) {
  const Subdomain& s = domain.subdomains()[0];
  HostBytes raw(s, v.id);
  const auto cells = raw.view<std::int16_t>();
  const auto expected = [](const Vec3& p, int c) {
    return static_cast<std::int16_t>(p.x + 16 * p.y + 256 * p.z + 4096 * c);
  };
  for (const int c : {0, 1}) {
    for_each_cell(cells.with_halo(), [&](const Vec3& p) { cells(p, c) = expected(p, c); });
  }
  raw.upload(s, v.id);
  const auto view = s.view(v);
  for (const int c : {0, 1}) {
    for_each_cell(view.with_halo(), [&](const Vec3& p) { ASSERT_EQ(view(p, c), expected(p, c)); });
  }
  EXPECT_EQ(&raw.bytes()(s.owned().lo), reinterpret_cast<std::byte*>(&cells(s.owned().lo)));
}

TEST_F(HostCopies, of_a_box_hold_the_box_alone) {
  const Subdomain& s = domain.subdomains()[1];
  const auto view = s.view(u);
  for_each_cell(view.with_halo(), [&](const Vec3& p) { view(p) = value(p); });
  const Box box{view.with_halo().lo, view.with_halo().lo + Vec3{3, 2, 4}};
  const auto cells = to_host(s, u, box);
  EXPECT_EQ(cells.view().with_halo(), box);
  for_each_cell(box, [&](const Vec3& p) { ASSERT_EQ(cells(p), value(p)); });
  for_each_cell(box, [&](const Vec3& p) { cells(p) = -1; });
  cells.upload(s, u);
  for_each_cell(view.with_halo(),
                [&](const Vec3& p) { ASSERT_EQ(view(p), box.contains(p) ? -1 : value(p)) << to_string(p); });
}

TEST_F(HostCopies, go_through_an_array_box_by_box_in_the_same_memory) {
  const Subdomain& s = domain.subdomains()[1];
  Box slab = s.view(u).with_halo();
  const std::int64_t end = slab.hi.z;
  slab.hi.z = slab.lo.z + 4;
  HostArray<double> some(s, u, slab);
  const double* const memory = some.view().data();
  for (; slab.lo.z < end; slab.lo.z = slab.hi.z) {
    slab.hi.z = std::min(end, slab.lo.z + 4);
    some.move_to(s, u, slab);
    EXPECT_EQ(some.view().with_halo(), slab);
    EXPECT_EQ(some.view().data(), memory);
    for_each_cell(slab, [&](const Vec3& p) { some(p) = value(p); });
    some.upload(s, u);
  }
  const auto all = to_host(s, u);
  for_each_cell(all.view().with_halo(), [&](const Vec3& p) { ASSERT_EQ(all(p), value(p)) << to_string(p); });
}

TEST_F(HostCopies, that_are_too_small_for_a_box_are_not_moved_to_it) {
  const Subdomain& s = domain.subdomains()[0];
  Box box = s.owned();
  box.hi.z = box.lo.z + 1;
  HostArray<double> plane(s, u, box);
  Box larger = box;
  larger.hi.z += 1;
  const auto refusal = [&](const Box& to) {
    return test::error_of<InvalidArgument>([&] {
      plane.move_to(s, u, to);
      return 0;
    });
  };
  EXPECT_THAT(refusal(larger), HasSubstr("allowed are up to " + std::to_string(box.volume())));
  larger.lo.x -= 99;
  EXPECT_THAT(refusal(larger), HasSubstr("allowed are boxes within"));
  EXPECT_EQ(plane.view().owned(), box);
}

TEST_F(HostCopies, of_other_shapes_and_types_are_refused) {
  const Subdomain& s = domain.subdomains()[0];
  const HostBytes raw(s, v.id);
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { static_cast<void>(raw.view<float>()); }),
              HasSubstr("is of f32; allowed is its own type, i16"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { raw.download(s, u.id); }), HasSubstr("1 components of f64"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { raw.upload(domain.subdomains()[1], v.id); }),
              HasSubstr("field 'pair' of subdomain 1"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] {
                HostBytes(s, u.id, {{-9, 0, 0}, {2, 2, 2}});
              }),
              HasSubstr("allowed are boxes within"));
}

}  // namespace
}  // namespace halocline
