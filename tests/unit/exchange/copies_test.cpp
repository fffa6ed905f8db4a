// SPDX-License-Identifier: BSD-3-Clause
// The copies of a message: which rows grow to whole sectors, and which stay as they are.
#include "exchange/pack/copies.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

#include "partition/strategy.hpp"

namespace halocline::exchange {
namespace {

partition::Geometry one_field(std::int64_t cells) {
  FieldDescriptor field;
  field.name = "u";
  field.element = Element::f32;
  return {partition::make_partition({.extent = Vec3::filled(cells), .halo = Stencil::box(3)}),
          {field},
          Stencil::box(3),
          all_periodic};
}

/// A subdomain that is its own neighbour: one field of fp32 with halos of 3 cells. Rows have 64 owned cells and 5 cells more on each side, of which two are spare.
class OwnHalo : public testing::Test {
 protected:
  static constexpr std::int64_t cells = 64;
  static constexpr std::int64_t element = 4;
  static constexpr std::int64_t side = 5;
  static constexpr std::int64_t row = (cells + 2 * side) * 16;  // also where cells are 16 bytes apart

  OwnHalo() {
    memory = {&geometry, subdomain_id(0), &arrays};
    append(payload, 1, cells - 3, -3);
    append(upper, -1, 0, cells);
  }
  /// A message along x: of the three planes from `from` on, which fill those from `to` on.
  static void append(Payload& message, int towards, std::int64_t from, std::int64_t to) {
    const PackedSegment segment{{.field = field_id(0),
                                 .direction = Direction::of(towards, 0, 0),
                                 .source = Box({from, 0, 0}, {from + 3, cells, cells}),
                                 .target = Box({to, 0, 0}, {to + 3, cells, cells}),
                                 .bytes = 3 * cells * cells * element}};
    message.append({&segment, 1}, Layout::by_segment);
  }
  /// The first owned cell is at the begin of a sector. The copies are not run: only addresses count.
  void set_array(std::int64_t stride) {
    Array array;
    array.origin = sector;
    array.stride_bytes = {stride, row, row * (cells + 6)};
    array.spare_bytes = {2 * element, 2 * element};
    arrays = {{array}};
  }

  partition::Geometry geometry = one_field(cells);
  alignas(64) std::array<std::byte, 256> storage{};
  std::byte* const sector = storage.data() + 128;
  std::vector<std::vector<Array>> arrays;
  Memory memory;
  Payload payload;  ///< which fills the halo below in x
  Payload upper;    ///< which fills the halo above
};

TEST_F(OwnHalo, GrowsToWholeWordsIntoSpareBytes) {
  set_array(element);
  const auto put = put_copies(payload, memory, memory);
  ASSERT_EQ(put.size(), 1U);
  EXPECT_EQ(put[0].extent, Vec3(4, cells, cells));
  EXPECT_EQ(put[0].target, sector - 16) << "one cell earlier, and not two: 16 bytes are whole there";
  EXPECT_EQ(put[0].source, sector + (cells - 4) * element);
  const auto unpack = unpack_copies(payload, memory, sector, 32);
  EXPECT_EQ(unpack.at(0).extent, Vec3(4, cells, cells));
  EXPECT_EQ(unpack.at(0).source, sector - element);
}

TEST_F(OwnHalo, GrowsUpwardsIntoTheSpareBytesAbove) {
  set_array(element);
  const auto put = put_copies(upper, memory, memory);
  ASSERT_EQ(put.size(), 1U);
  EXPECT_EQ(put[0].extent, Vec3(4, cells, cells));
  EXPECT_EQ(put[0].target, sector + cells * element);
  EXPECT_EQ(put[0].source, sector);
  arrays[0][0].spare_bytes = {2 * element, 0};
  EXPECT_EQ(put_copies(upper, memory, memory).at(0).extent.x, 3) << "no byte behind the row may be written";
}

TEST_F(OwnHalo, DoesNotGrowWithoutSpaceOrBetweenCells) {
  set_array(element);
  EXPECT_EQ(unpack_copies(payload, memory, sector, 0).at(0).extent.x, 3) << "no byte before the payload may be read";
  set_array(16);
  EXPECT_EQ(put_copies(payload, memory, memory).at(0).extent.x, 3);
  EXPECT_EQ(unpack_copies(payload, memory, sector, 32).at(0).extent.x, 3);
}

}  // namespace
}  // namespace halocline::exchange
