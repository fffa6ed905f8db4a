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

/// Bytes from one row of fp32 cells to the next, where sectors have 32 bytes and rows are best aligned to 128.
std::int64_t row_bytes(std::int64_t radius, std::int64_t cells = 512) {
  device::HostOptions host;
  host.sector_bytes = 32;
  test::ForwardingBackend backend(device::make_host_backend(host), {.row_alignment_bytes = 128});
  const Stencil stencil = Stencil::box(radius, 1, 1);
  const partition::Geometry geometry(partition::make_partition({.extent = {cells, 4, 4}, .halo = stencil}),
                                     {{.name = "u", .element = Element::f32}}, stencil);
  const auto arena = make_arena(backend, 0, geometry, subdomain_id(0), {true});
  const auto& array = arena.arrays.at(0).at(0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.origin) % 64, 0u);
  return array.stride_bytes[1];
}

TEST(Arena, whose_halos_in_x_fit_into_two_sectors_has_no_more_between_rows) {
  EXPECT_EQ(row_bytes(1), 2048 + 64);
  EXPECT_EQ(row_bytes(8), 2048 + 64);
  EXPECT_EQ(row_bytes(9), 2048 + 128);
  EXPECT_EQ(row_bytes(0), 2048 + 128) << "an odd number of 128 bytes, as there is nothing between rows";
  EXPECT_EQ(row_bytes(3, 304), 1216 + 64) << "an even number of 64 bytes";
  EXPECT_EQ(row_bytes(3, 496), 1984 + 64) << "a power of two";
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
