// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/arena.hpp"
#include "comm/local_ranks.hpp"
#include "device/backend.hpp"
#include "device/host.hpp"
#include "partition/halo.hpp"
#include "partition/strategy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/limits.hpp"
#include "halocline/halocline.hpp"
#include "support/error_of.hpp"
#include "support/forwarding_backend.hpp"

namespace halocline {
namespace {

using testing::HasSubstr;

/// One cell a row, one byte a cell: almost all memory is padding.
partition::Geometry thin(std::int64_t rows, int fields) {
  FieldDescriptor field{.name = "u", .element = Element::i8};
  return {partition::make_partition({.extent = {1, rows, rows}, .halo = Stencil()}),
          std::vector<FieldDescriptor>(static_cast<std::size_t>(fields), field), Stencil()};
}

std::string refusal(device::Backend& backend, const partition::Geometry& geometry) {
  return test::error_of<InvalidArgument>([&] {
    return make_arena(backend, 0, geometry, subdomain_id(0), std::vector<bool>(geometry.fields.size(), true)).arrays;
  });
}

TEST(Arena, whose_padding_leaves_63_bits_is_refused) {
  test::ForwardingBackend backend(device::make_host_backend({}), {.row_alignment_bytes = 128});
  EXPECT_EQ(refusal(backend, thin(300'000'000, 1)),
            "memory for field 'u' of subdomain 0, 300000000 x 300000000 rows of 128 bytes, is 2^63 or more bytes; "
            "allowed is at most 9223372036854775807");
}

TEST(Arena, whose_fields_together_leave_63_bits_is_refused) {
  test::ForwardingBackend backend(device::make_host_backend({}), {.row_alignment_bytes = 64});
  EXPECT_THAT(refusal(backend, thin(300'000'000, 2)),
              HasSubstr("memory for the fields of subdomain 0 is 2^63 or more bytes"));
  // Arrays of the user take none of it.
  const auto arena = make_arena(backend, 0, thin(300'000'000, 2), subdomain_id(0), {false, false});
  EXPECT_EQ(arena.arrays.size(), 2u);
}

struct Rows {
  std::int64_t radius = 3;
  std::int64_t cells = 512;                ///< of a subdomain
  std::int64_t cuts = 1;                   ///< subdomains in x
  Boundary boundary = Boundary::periodic;  ///< in x
};

/// Bytes from one row of fp32 cells to the next, where sectors have 32 bytes and rows are best aligned to 128.
std::int64_t row_bytes(const Rows& rows) {
  device::HostOptions host;
  host.sector_bytes = 32;
  test::ForwardingBackend backend(device::make_host_backend(host), {.row_alignment_bytes = 128});
  const Stencil stencil = Stencil::box(rows.radius, 1, 1);
  const partition::Geometry geometry(partition::make_partition({.extent = {rows.cuts * rows.cells, 4, 4},
                                                                .halo = stencil,
                                                                .devices_per_node = rows.cuts,
                                                                .method = partition::Method::given,
                                                                .device_grid = Vec3{rows.cuts, 1, 1}}),
                                     {{.name = "u", .element = Element::f32}}, stencil,
                                     {rows.boundary, Boundary::periodic, Boundary::periodic});
  const auto arena = make_arena(backend, 0, geometry, subdomain_id(0), {true});
  const auto& array = arena.arrays.at(0).at(0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.origin) % 32, 0u);
  return array.stride_bytes[1];
}

TEST(Arena, whose_halos_in_x_fit_into_a_sector_has_no_more_between_rows) {
  EXPECT_EQ(row_bytes({.radius = 1}), 2048 + 32);
  EXPECT_EQ(row_bytes({.radius = 4}), 2048 + 32);
  EXPECT_EQ(row_bytes({.radius = 3, .cells = 360}), 1440 + 32);
  EXPECT_EQ(row_bytes({.radius = 3, .cells = 375}), 1500 + 36) << "12 bytes at either end, and 12 up to a whole sector";
  EXPECT_EQ(row_bytes({.radius = 3, .cells = 504}), 2016 + 32) << "a power of two";
  EXPECT_EQ(row_bytes({.radius = 3, .cuts = 2}), 2048 + 32) << "both halos are of the same neighbour";
}

TEST(Arena, whose_halos_in_x_are_wider_or_of_two_neighbours_has_a_sector_for_each) {
  EXPECT_EQ(row_bytes({.radius = 5}), 2048 + 64);
  EXPECT_EQ(row_bytes({.radius = 8}), 2048 + 64);
  EXPECT_EQ(row_bytes({.radius = 8, .cells = 360}), 1440 + 64);
  EXPECT_EQ(row_bytes({.radius = 3, .cuts = 3}), 2048 + 64);
  EXPECT_EQ(row_bytes({.radius = 3, .cuts = 2, .boundary = Boundary::open}), 2048 + 64);
}

TEST(Arena, whose_halos_in_x_are_wide_or_none_has_rows_of_odd_multiples_of_the_alignment) {
  EXPECT_EQ(row_bytes({.radius = 9}), 2048 + 128);
  EXPECT_EQ(row_bytes({.radius = 0}), 2048 + 128);
}

TEST(DomainSize, is_refused_alike_on_all_ranks) {
  std::atomic<int> refused = 0;
  comm::run_as_threads(3, [&](comm::RankGroup& comm) {
    Domain domain({16, 536'870'910, 536'870'910}, Stencil::box(1), comm);
    domain.add_field<double>("u");
    EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.realize(); }),
                HasSubstr("memory for 1 field of 16 x 536870910 x 536870910 cells"));
    ++refused;
  });
  EXPECT_EQ(refused, 3);
}

TEST(DomainSize, has_limits_of_fields) {
  const auto refusal_of = [](int fields, const FieldDescriptor& field) {
    Domain domain({8, 8, 8}, Stencil::box(1));
    for (int i = 0; i < fields; ++i) {
      FieldDescriptor one = field;
      one.name = "u" + std::to_string(i);
      domain.add_field(one);
    }
    return test::error_of<InvalidArgument>([&] { domain.realize(); });
  };
  constexpr int most = std::numeric_limits<int>::max();
  EXPECT_THAT(refusal_of(1, {.name = "u", .components = most}),
              HasSubstr("number of components of field 'u0' is 2147483647; allowed is 1 to 4096"));
  EXPECT_THAT(refusal_of(1, {.name = "u", .buffers = most}),
              HasSubstr("number of buffers of field 'u0' is 2147483647; allowed is 1 to 256"));
  EXPECT_THAT(refusal_of(1025, {.name = "u"}), HasSubstr("number of fields is 1025; allowed is at most 1024"));
}

}  // namespace
}  // namespace halocline
