// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support.hpp"

namespace halocline::model {
namespace {

using machine::ExchangeRate;
using machine::HaloRows;
using Bytes = Load::Bytes;

const subdomain_id first(0);
constexpr exchange::Tuning rows_only{.packets_at_most_bytes = 0};

TEST(Load, CountsCellsOfLongRowsAndSectorsOfShortOnes) {
  // Faces in x: 8 x 4 rows of 12 bytes on each side, one sector each. Faces in y: 3 rows of 128 bytes in each of 4
  // planes.
  const auto g = geometry_of({32, 8, 8}, {.devices = {1, 1, 2}}, Stencil::star(3), {field_of(Element::f32)});
  const Load load = load_of(g, first, rows_only);
  EXPECT_EQ(load.local,
            (Bytes{{{HaloRows::short_rows, 16}, 2 * 8 * 4 * 32}, {{HaloRows::long_rows, 16}, 2 * 3 * 4 * 128}}));
  EXPECT_EQ(load.out, (Bytes{{{HaloRows::long_rows, 16}, 2 * 3 * 8 * 128}}));
  EXPECT_EQ(load.in, load.out);
  EXPECT_EQ(load.sent, 2 * 3 * 8 * 128);
  EXPECT_EQ(load.network_out, 0);
}

TEST(Load, KnowsTheWidestAccess) {
  const Stencil z = Stencil::box(0, 0, 1);
  const auto out = [&](std::int64_t x, Element element) {
    const Load load = load_of(geometry_of({x, 2, 4}, {.devices = {1, 1, 2}}, z, {field_of(element)}), first, rows_only);
    EXPECT_EQ(load.out.size(), 1u);
    return load.out.begin()->first;
  };
  EXPECT_EQ(out(64, Element::f32), (std::pair{HaloRows::long_rows, 16}));
  EXPECT_EQ(out(66, Element::f32), (std::pair{HaloRows::long_rows, 8}));
  EXPECT_EQ(out(67, Element::f32), (std::pair{HaloRows::long_rows, 4}));
  EXPECT_EQ(out(67, Element::f64), (std::pair{HaloRows::long_rows, 8}));
  EXPECT_EQ(out(67, Element::i8), (std::pair{HaloRows::long_rows, 1}));
  EXPECT_EQ(out(15, Element::f32), (std::pair{HaloRows::short_rows, 4}));
}

TEST(Load, RowsAtTheEndsOfXGrowWhereTheyLieAlike) {
  const Stencil x = Stencil::box(3, 0, 0);
  const auto local = [&](std::int64_t cells) {
    return load_of(geometry_of({cells, 4, 4}, {}, x, {field_of(Element::f32)}), first, rows_only).local;
  };
  EXPECT_EQ(local(32), (Bytes{{{HaloRows::short_rows, 16}, 2 * 16 * 32}}));
  EXPECT_EQ(local(30), (Bytes{{{HaloRows::short_rows, 4}, 2 * 16 * 32}}));
  // A packed row is not: 3 cells of 8 bytes are words of 8.
  const auto g = geometry_of({64, 4, 4}, {.devices = {2, 1, 1}}, x, {field_of(Element::f64)});
  EXPECT_EQ(load_of(g, first, rows_only).out, (Bytes{{{HaloRows::short_rows, 16}, 2 * 16 * 32}}));
  Bytes packed{{{HaloRows::packed_rows, 8}, 2 * 16 * 40}};
  packed.packed_cells = 2 * 16 * 24;
  EXPECT_EQ(load_of(g, first, {.pack_short_rows_from_bytes = 1, .packets_at_most_bytes = 0}).out, packed);
}

TEST(Load, PackedRowsThatBeginInASectorWithOwnedCellsCountForMore) {
  const auto sectors = [](std::int64_t cells, Element element) {
    const auto g = geometry_of({2 * cells, 4, 4}, {.devices = {2, 1, 1}}, Stencil::box(3, 0, 0), {field_of(element)});
    const Bytes out = load_of(g, first, {.pack_short_rows_from_bytes = 1, .packets_at_most_bytes = 0}).out;
    return static_cast<double>(out.begin()->second) / (16 * ExchangeRate::sector_bytes);
  };
  EXPECT_EQ(sectors(32, Element::f32), 1 + 1) << "a halo below and one above";
  EXPECT_EQ(sectors(28, Element::f32), 1 + 1.5) << "the one above begins 16 bytes into a sector";
  EXPECT_EQ(sectors(30, Element::f32), 1 + 3) << "and goes on in the next one";
  EXPECT_EQ(sectors(30, Element::f64), (1 + 3) * 40 / 32.0) << "more for 24 bytes of cells instead of 12";
  EXPECT_EQ(sectors(28, Element::f64), (1 + 1) * 40 / 32.0);
  const auto wide = geometry_of({64, 4, 4}, {.devices = {2, 1, 1}}, Stencil::box(8, 0, 0), {field_of(Element::f32)});
  const auto rows = load_of(wide, first, {.pack_short_rows_from_bytes = 1, .packets_at_most_bytes = 0}).out;
  EXPECT_EQ(rows.begin()->second, 2 * 16 * 32 * 68 / 48) << "rows of a whole sector";
}

/// Two halos that lie in one burst of memory cost less together.
TEST(Load, PackedRowsCountForMoreWithoutTheOtherEnd) {
  const auto bytes = [](std::int64_t parts, const Boundaries& boundaries) {
    const FieldDescriptor field = field_of(Element::f32);
    const auto g =
        geometry_of({32 * parts, 4, 4}, {.devices = {parts, 1, 1}}, Stencil::box(3, 0, 0), {field}, boundaries);
    return load_of(g, first, {.pack_short_rows_from_bytes = 1, .packets_at_most_bytes = 0}).out.begin()->second;
  };
  constexpr std::int64_t end = ExchangeRate::sector_bytes;
  EXPECT_EQ(bytes(2, all_periodic), 2 * 16 * end);
  EXPECT_EQ(bytes(2, {Boundary::open, Boundary::periodic, Boundary::periodic}), 16 * end * 3 / 2);
  EXPECT_EQ(bytes(3, all_periodic), 2 * 16 * end * 3 / 2) << "with messages from two neighbours";
}

TEST(Load, HalosThatAreStoredApartHaveNoSectorsOfTheirOwn) {
  FieldDescriptor apart = field_of(Element::f32);
  apart.x_halos_apart = true;
  // Within a device the sectors that are read, and the cells that are stored: half of each, as rates are of copies.
  const auto whole = geometry_of({32, 8, 8}, {.devices = {1, 1, 2}}, Stencil::star(3), {apart});
  EXPECT_EQ(load_of(whole, first, rows_only).local, (Bytes{{{HaloRows::short_rows, 16}, 2 * 8 * 4 * (32 + 12) / 2},
                                                           {{HaloRows::long_rows, 16}, 2 * 3 * 4 * 128}}));
  const auto cut = geometry_of({64, 4, 4}, {.devices = {2, 1, 1}}, Stencil::box(3, 0, 0), {apart});
  EXPECT_EQ(load_of(cut, first, {.pack_short_rows_from_bytes = 1, .packets_at_most_bytes = 0}).out,
            (Bytes{{{HaloRows::long_rows, 16}, 2 * 16 * 12}}));
}

TEST(Load, CountsTheBytesOfTheWireOnLinks) {
  FieldDescriptor narrowed = field_of(Element::f64);
  narrowed.wire = Element::f32;
  const auto load = [](const FieldDescriptor& field, const Vec3& devices) {
    return load_of(geometry_of({64, 8, 8}, {.devices = devices}, Stencil::star(3), {field}), first, {});
  };
  // Long rows; they are packed, and never packets.
  const Load cut_in_z = load(narrowed, {1, 1, 2});
  EXPECT_EQ(cut_in_z.out, (Bytes{{{HaloRows::long_rows, 16}, 2 * 3 * 8 * 64 * 4}}));
  EXPECT_EQ(cut_in_z.sent, load(field_of(Element::f64), {1, 1, 2}).sent / 2);
  // Copies within a device move whole cells.
  EXPECT_EQ(cut_in_z.local, load(field_of(Element::f64), {1, 1, 2}).local);
  // Short rows: their sectors at the receiver's end, and half of the bytes between.
  Bytes packed{{{HaloRows::packed_rows, 8}, 2 * 64 * 40}};
  packed.packed_cells = 2 * 64 * 3 * 4;
  EXPECT_EQ(load(narrowed, {2, 1, 1}).out, packed);
}

TEST(Load, PacksWhereAMessageHasEnoughShortRows) {
  // Both faces go to the same neighbour: one message of 2 * 3 * 16 * 4 bytes.
  const auto g = geometry_of({64, 4, 4}, {.devices = {2, 1, 1}}, Stencil::box(3, 0, 0), {field_of(Element::f32)});
  const auto rows = [&](std::int64_t from) {
    return load_of(g, first, {.pack_short_rows_from_bytes = from, .packets_at_most_bytes = 0}).out.begin()->first.first;
  };
  EXPECT_EQ(rows(2 * 3 * 16 * 4), HaloRows::packed_rows);
  EXPECT_EQ(rows(2 * 3 * 16 * 4 + 1), HaloRows::short_rows);
}

TEST(Load, SmallMessagesAreWhatTheirPacketsTakeOfALink) {
  // Both faces in one message: 2 * 3 rows of 8 cells in y, 32 words each: five pairs, ten packets. Local copies do not
  // change.
  const auto g = geometry_of({32, 8, 8}, {.devices = {1, 1, 2}}, Stencil::star(3), {field_of(Element::f32)});
  const std::int64_t bytes = 2 * 3 * 8 * 10 * 16;
  const Load load = load_of(g, first, {.packets_at_most_bytes = bytes});
  EXPECT_EQ(load.out, (Bytes{{{HaloRows::packets, 16}, bytes}}));
  EXPECT_EQ(load.in, load.out);
  EXPECT_EQ(load.local, load_of(g, first, rows_only).local);
  EXPECT_EQ(load_of(g, first, {.packets_at_most_bytes = bytes - 1}).out, load_of(g, first, rows_only).out);
  // A row of three words is one packet; the rows of a field of bytes are not whole words.
  const auto x = geometry_of({64, 4, 4}, {.devices = {2, 1, 1}}, Stencil::box(3, 0, 0), {field_of(Element::f32)});
  EXPECT_EQ(load_of(x, first, {}).out, (Bytes{{{HaloRows::packets, 4}, 2 * 16 * 16}}));
  const auto i8 = geometry_of({32, 8, 8}, {.devices = {1, 1, 2}}, Stencil::star(3),
                              {field_of(Element::f32), field_of(Element::i8)});
  EXPECT_EQ(load_of(i8, first, {}).out, load_of(i8, first, rows_only).out);
}

TEST(Load, AddsFieldsOfAllSizesAndRadii) {
  std::vector<FieldDescriptor> fields{field_of(Element::f32), field_of(Element::f64)};
  fields[1].stencil = Stencil::box(0, 0, 2);
  fields[1].components = 3;
  const auto g = geometry_of({32, 2, 8}, {.devices = {1, 1, 2}}, Stencil::box(0, 0, 1), fields);
  EXPECT_EQ(load_of(g, first, rows_only).out, (Bytes{{{HaloRows::long_rows, 16}, 2 * 64 * 4 + 2 * 2 * 64 * 8 * 3}}));
}

TEST(Load, KnowsWhatOnlyArrivesAndWhatCrossesTheNetwork) {
  // Only lower neighbours are read: at open ends the lower subdomain only sends, and the upper one only receives.
  const Stencil below = Stencil::per_side({0, 0, 1}, {0, 0, 0});
  const Boundaries open{Boundary::periodic, Boundary::periodic, Boundary::open};
  const auto near = geometry_of({32, 2, 8}, {.devices = {1, 1, 2}}, below, {field_of(Element::f32)}, open);
  EXPECT_EQ(load_of(near, first, rows_only).out, (Bytes{{{HaloRows::long_rows, 16}, 256}}));
  EXPECT_TRUE(load_of(near, first, rows_only).in.empty());
  EXPECT_TRUE(load_of(near, subdomain_id(1), rows_only).out.empty());
  EXPECT_EQ(load_of(near, subdomain_id(1), rows_only).in, (Bytes{{{HaloRows::long_rows, 16}, 256}}));

  const auto far = geometry_of({32, 2, 8}, {.nodes = {1, 1, 2}}, below, {field_of(Element::f32)}, open);
  EXPECT_TRUE(load_of(far, first, rows_only).out.empty());
  EXPECT_EQ(load_of(far, first, rows_only).network_out, 256);
  EXPECT_EQ(load_of(far, first, rows_only).network_in, 0);
  EXPECT_EQ(load_of(far, subdomain_id(1), rows_only).network_in, 256);

  // The network carries the cells of edges and corners with the faces.
  const auto box = geometry_of({32, 16, 8}, {.nodes = {1, 1, 2}}, Stencil::box(1), {field_of(Element::f32)});
  EXPECT_EQ(load_of(box, first, rows_only).network_out, 2 * 32 * 16 * 4);
  EXPECT_EQ(load_of(box, first, rows_only).network_in, 2 * 32 * 16 * 4);
}

}  // namespace
}  // namespace halocline::model
