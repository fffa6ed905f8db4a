// SPDX-License-Identifier: BSD-3-Clause
#include "partition/size.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/limits.hpp"
#include "fields.hpp"
#include "halocline/error.hpp"
#include "partition/strategy.hpp"
#include "support/error_of.hpp"

namespace halocline::partition {
namespace {

using testing::HasSubstr;

constexpr Boundaries open{Boundary::open, Boundary::open, Boundary::open};

Geometry whole(const Vec3& extent, const Stencil& radius, std::vector<FieldDescriptor> fields) {
  return {make_partition({.extent = extent, .halo = radius, .boundaries = open}), std::move(fields), radius, open};
}

std::string refusal(const Geometry& geometry) {
  return test::error_of<InvalidArgument>([&] {
    check_size(geometry);
    return 0;
  });
}

/// One byte a cell.
FieldDescriptor bytes_named(const std::string& name) {
  FieldDescriptor field = field_named(name);
  field.element = Element::i8;
  return field;
}

TEST(Size, of_all_arrays_has_a_limit) {
  constexpr std::int64_t planes = limits::domain_bytes / 1'000'000;
  EXPECT_EQ(refusal(whole({1000, 1000, planes}, Stencil(), {bytes_named("u")})), "(no error)");
  EXPECT_EQ(refusal(whole({1000, 1000, planes + 1}, Stencil(), {bytes_named("u")})),
            "memory for 1 field of 1000 x 1000 x 100000000001 cells, cut into 1 x 1 x 1, with halos of width 0, is "
            "100000000001000000 bytes; allowed is at most 100000000000000000");
  FieldDescriptor longer = bytes_named("u");
  longer.staggered[2] = true;
  EXPECT_THAT(refusal(whole({1000, 1000, planes}, Stencil(), {longer})), HasSubstr("is 100000000001000000 bytes"));
}

TEST(Size, counts_halos_components_buffers_and_fields) {
  const Vec3 extent{1000, 1000, limits::domain_bytes / 1'500'000};
  const auto taken = [&](const Stencil& radius, FieldDescriptor field, int fields) {
    return refusal(whole(extent, radius, std::vector<FieldDescriptor>(static_cast<std::size_t>(fields), field)));
  };
  FieldDescriptor two = bytes_named("u");
  EXPECT_EQ(taken(Stencil(), two, 1), "(no error)");
  EXPECT_THAT(taken(Stencil(), two, 2), HasSubstr("memory for 2 fields"));
  EXPECT_THAT(taken(Stencil::box(500, 0, 0), two, 1), HasSubstr("with halos of width x 500 y 0 z 0"));
  two.components = 2;
  EXPECT_THAT(taken(Stencil(), two, 1), HasSubstr("allowed is at most"));
  two.components = 1;
  two.buffers = 2;
  EXPECT_THAT(taken(Stencil(), two, 1), HasSubstr("allowed is at most"));
}

TEST(Size, beyond_63_bits_is_refused_too) {
  FieldDescriptor wide = bytes_named("u");
  wide.element = Element::c128;
  EXPECT_THAT(refusal(whole({16, 536'870'910, 536'870'910}, Stencil::box(1), {wide})),
              HasSubstr("is 2^63 or more bytes; allowed is at most 100000000000000000"));
}

TEST(Size, messages_that_nobody_checked_do_not_wrap_around) {
  FieldDescriptor wide = bytes_named("u");
  wide.element = Element::c128;
  const Stencil radius = Stencil::box(4);
  Geometry geometry = whole({16, 536'870'910, 536'870'910}, radius, {wide});
  geometry.boundaries = all_periodic;
  const std::string text = "what subdomain 0 sends to subdomain 0 is 2^63 or more bytes";
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { return outgoing(geometry, subdomain_id(0)); }), HasSubstr(text));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { return outgoing_flows(geometry, subdomain_id(0)); }),
              HasSubstr(text));
  // Each segment fits, but their sum does not.
  Message message{subdomain_id(0), subdomain_id(1), {}};
  for (int i = 0; i < 2; ++i)
    message.segments.push_back({field_id(0), Direction::of(1, 0, 0), {}, {}, INT64_MAX / 2 + 1});
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { return message.bytes(); }),
              HasSubstr("what subdomain 0 sends to subdomain 1 is 2^63 or more bytes"));
}

}  // namespace
}  // namespace halocline::partition
