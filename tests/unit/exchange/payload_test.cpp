// SPDX-License-Identifier: BSD-3-Clause
// Where the cells of a message lie in its payload.
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <vector>

#include "exchange/detail/split_payload.hpp"
#include "exchange/pack/copies.hpp"
#include "partition/strategy.hpp"

namespace halocline::exchange {
namespace {

partition::Geometry geometry_of(const Vec3& extent, const Vec3& grid, std::vector<FieldDescriptor> fields) {
  partition::Request request{.extent = extent, .halo = Stencil::box(3), .nodes = grid.volume()};
  request.method = partition::Method::given;
  request.node_grid = grid;
  return {partition::make_partition(request), std::move(fields), Stencil::box(3)};
}

FieldDescriptor plain() { return {.name = "u", .element = Element::f32, .components = 2, .buffers = 2}; }
/// Halos of two cells instead of three.
FieldDescriptor narrow() { return {.name = "v", .element = Element::f64, .stencil = Stencil::box(2)}; }
/// Of its two components one is sent in all directions, the other one only towards faces in z.
FieldDescriptor by_direction() {
  FieldDescriptor field{.name = "w", .element = Element::f64, .components = 2};
  Directions faces;
  for (const int z : {-1, 1}) faces.set(static_cast<std::size_t>(Direction::of(0, 0, z).index()));
  field.component_directions = {Directions().set(), faces};
  return field;
}

std::size_t packing(const Payload& payload) {
  return static_cast<std::size_t>(std::ranges::count_if(payload.segments, &PackedSegment::packs));
}

/// Cut in z, the edges and corners of two faces are cells of these faces.
TEST(CompactPayload, HoldsCellsOnce) {
  const auto geometry = geometry_of({16, 20, 24}, {1, 1, 2}, {plain()});
  const partition::Message message = partition::outgoing(geometry, subdomain_id(0)).at(1);
  ASSERT_EQ(message.segments.size(), 18U);
  for (const std::int64_t depth : {1, 2, 3}) {
    const Selection selection{{{.field = field_id(0), .depth = depth}}};
    const Payload compact = payload_of(message, selection);
    EXPECT_EQ(compact.segments.size(), 18U);
    EXPECT_EQ(packing(compact), 2U);
    EXPECT_EQ(compact.bytes, 2 * 16 * 20 * depth * 2 * 4) << "two faces of two components";
    const Payload all = payload_of(message, selection, Layout::by_segment);
    EXPECT_EQ(packing(all), 18U);
    EXPECT_GT(all.bytes, 2 * 16 * 20 * depth * 2 * 4);
  }
}

/// Cut in two in x, where subdomains are as thin as their halos: what is sent up and down is the same.
TEST(CompactPayload, HoldsAFaceOnceWhereItIsSentBothWays) {
  const auto geometry = geometry_of({6, 20, 24}, {2, 1, 1}, {plain()});
  const partition::Message message = partition::outgoing(geometry, subdomain_id(0)).at(1);
  const Payload payload = payload_of(message, {{{.field = field_id(0)}}});
  EXPECT_EQ(payload.segments.size(), message.segments.size());
  EXPECT_EQ(packing(payload), 1U);
  EXPECT_EQ(payload.bytes, 3 * 20 * 24 * 2 * 4);
}

/// What was laid out for all fields is laid out again for its parts.
TEST(CompactPayload, HoldsCellsOnceInPartsOfSeveralFields) {
  const auto geometry = geometry_of({16, 20, 24}, {1, 1, 2}, {plain(), narrow()});
  const partition::Message message = partition::outgoing(geometry, subdomain_id(0)).at(1);
  const Payload whole = payload_of(message, {{{.field = field_id(0)}, {.field = field_id(1)}}});
  ASSERT_EQ(packing(whole), 4U);
  for (const int n : {1, 2}) {
    std::int64_t bytes = 0;
    for (const Payload& part : in_parts(whole, n)) {
      EXPECT_EQ(packing(part), 4U);
      bytes += part.bytes;
    }
    EXPECT_EQ(bytes, whole.bytes) << n;
  }
}

TEST(CompactPayload, HoldsWhatNoFaceOfTheSameArrayContains) {
  const auto geometry = geometry_of({16, 20, 24}, {1, 1, 2}, {by_direction(), plain(), narrow()});
  const partition::Message message = partition::outgoing(geometry, subdomain_id(0)).at(1);
  const auto of = [&](std::vector<Selection::Item> items) { return packing(payload_of(message, {std::move(items)})); };
  EXPECT_EQ(of({{.field = field_id(0)}}), 18U) << "a component of it is not sent towards edges";
  EXPECT_EQ(of({{.field = field_id(1)}, {.field = field_id(2)}}), 4U);
  EXPECT_EQ(of({{.field = field_id(1), .buffer = 0}}), 2U);
  Directions edges;
  for (const int x : {-1, 1}) edges.set(static_cast<std::size_t>(Direction::of(x, 0, 1).index()));
  EXPECT_EQ(of({{.field = field_id(1), .directions = edges}}), 2U) << "without the face";
}

/// Visits the elements of a copy: f(address in the source, address in the target).
template <typename F>
void for_each_element(const device::StridedCopy& copy, const F& f) {
  for (std::int64_t z = 0; z < copy.extent.z; ++z) {
    for (std::int64_t y = 0; y < copy.extent.y; ++y) {
      for (std::int64_t x = 0; x < copy.extent.x; ++x) {
        const auto at = [&](const std::array<std::int64_t, 3>& stride) {
          return x * stride[0] + y * stride[1] + z * stride[2];
        };
        f(copy.source + at(copy.source_stride), copy.target + at(copy.target_stride));
      }
    }
  }
}

/// The copies of a message through payloads are the copies without one. They are not run: only addresses count.
class ThroughPayload : public testing::TestWithParam<Vec3> {
 protected:
  static constexpr Vec3 extent{24, 28, 20};

  ThroughPayload() : geometry(geometry_of(extent, GetParam(), {plain(), narrow(), by_direction()})) {
    std::byte* origin = storage;
    for (const FieldDescriptor& field : geometry.fields) {
      auto& buffers = arrays.emplace_back();
      for (int buffer = 0; buffer < field.buffers; ++buffer) {
        const std::int64_t element = bytes_of(field.element);
        const std::int64_t row = element * (extent.x + 8);
        Array array;
        array.origin = origin;
        array.stride_bytes = {element, row, row * (extent.y + 8)};
        array.component_stride_bytes = row * (extent.y + 8) * (extent.z + 8);
        buffers.push_back(array);
        origin += array.component_stride_bytes * field.components;
      }
    }
  }

  void expect_same_cells(const Payload& payload) {
    const Memory memory{&geometry, subdomain_id(0), &arrays};
    std::map<const std::byte*, const std::byte*> packed_from;
    for (const device::StridedCopy& copy : pack_copies(payload, memory, packed)) {
      for_each_element(copy, [&](const std::byte* cell, const std::byte* in_payload) {
        EXPECT_TRUE(packed_from.emplace(in_payload, cell).second) << "two cells at one place";
        EXPECT_LE(in_payload + copy.element_bytes - packed, payload.bytes);
      });
    }
    const auto unpack = unpack_copies(payload, memory, packed);
    const auto put = put_copies(payload, memory, memory);
    ASSERT_EQ(unpack.size(), put.size());
    for (std::size_t i = 0; i < put.size(); ++i) {
      std::map<const std::byte*, const std::byte*> source_of;
      for_each_element(put[i], [&](const std::byte* cell, const std::byte* halo) { source_of[halo] = cell; });
      std::size_t same = 0;
      for_each_element(unpack[i], [&](const std::byte* in_payload, const std::byte* halo) {
        const auto found = packed_from.find(in_payload);
        if (found != packed_from.end() && source_of.at(halo) == found->second) ++same;
      });
      EXPECT_EQ(same, source_of.size());
    }
  }

  partition::Geometry geometry;
  std::byte storage[1];
  std::byte packed[1];
  std::vector<std::vector<Array>> arrays;
};

TEST_P(ThroughPayload, EveryHaloCellIsFilledWithItsOwner) {
  const Selection all{{{.field = field_id(0), .buffer = 1}, {.field = field_id(1)}, {.field = field_id(2)}}};
  const Selection thin{{{.field = field_id(0), .depth = 1}, {.field = field_id(2), .depth = 2}}};
  for (const partition::Message& message : partition::outgoing(geometry, subdomain_id(0))) {
    for (const Selection& selection : {all, thin}) {
      for (const Layout layout : {Layout::by_segment, Layout::compact}) {
        expect_same_cells(payload_of(message, selection, layout));
      }
      for (const int parts : {2, 3, 5}) {
        for (const Payload& part : in_parts(payload_of(message, selection), parts)) expect_same_cells(part);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, ThroughPayload,
                         testing::Values(Vec3{1, 1, 1}, Vec3{1, 1, 2}, Vec3{1, 2, 1}, Vec3{2, 1, 1}, Vec3{1, 2, 2},
                                         Vec3{2, 1, 2}, Vec3{2, 2, 2}, Vec3{1, 1, 4}, Vec3{8, 1, 1}));

}  // namespace
}  // namespace halocline::exchange
