// SPDX-License-Identifier: BSD-3-Clause
// What a side of a message says of the other one's selection, of which it knows a hash.
#include "exchange/detail/difference.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "partition/strategy.hpp"

namespace halocline::exchange {
namespace {

using Item = Selection::Item;

/// Fields "f0", "f1", ..., the last one with `last_buffers`, with halos of 3 cells.
partition::Geometry geometry_of(int fields, int buffers = 2, int last_buffers = 2) {
  std::vector<FieldDescriptor> all(static_cast<std::size_t>(fields));
  for (std::size_t f = 0; f < all.size(); ++f) {
    all[f].name = "f" + std::to_string(f);
    all[f].buffers = f + 1 < all.size() ? buffers : last_buffers;
  }
  return {partition::make_partition({.extent = {12, 12, 12}, .halo = Stencil::box(3)}), std::move(all), Stencil::box(3),
          all_periodic};
}

/// Fields 0 to n - 1 in buffer 0, with their whole halos.
Selection first(int n) {
  Selection selection;
  for (int f = 0; f < n; ++f) selection.items.push_back({.field = field_id(f)});
  return selection;
}

Directions only_towards(Direction direction) {
  Directions directions;
  directions.set(static_cast<std::size_t>(direction.index()));
  return directions;
}

std::string told(const Selection& mine, const Selection& theirs, const partition::Geometry& geometry) {
  return difference(mine, theirs.token(), geometry);
}

TEST(Difference, NamesTheFieldAndBothBuffers) {
  const auto geometry = geometry_of(2);
  Selection theirs = first(2);
  theirs.items[1].buffer = 1;
  EXPECT_EQ(told(first(2), theirs, geometry), "the other side exchanges 'f1' in buffer 1, this side in buffer 0");
}

TEST(Difference, NamesBothDepths) {
  const auto geometry = geometry_of(2);
  Selection theirs = first(2);
  theirs.items[0].depth = 2;
  EXPECT_EQ(told(first(2), theirs, geometry), "the other side exchanges depth 2 of 'f0', this side the whole halo");
  EXPECT_EQ(told(theirs, first(2), geometry), "the other side exchanges the whole halo of 'f0', this side depth 2");
}

TEST(Difference, SaysThatThisSideAloneLeavesOutDirections) {
  const auto geometry = geometry_of(1);
  Selection mine = first(1);
  mine.items[0].directions = only_towards(Direction::of(1, 0, 0));
  EXPECT_EQ(told(mine, first(1), geometry), "the other side exchanges 'f0' in all directions, this side in some");
}

TEST(Difference, JoinsAllChangesOfAField) {
  const auto geometry = geometry_of(1);
  Selection mine = first(1);
  mine.items[0].directions = only_towards(Direction::of(0, 0, 1));
  Selection theirs = first(1);
  theirs.items[0].buffer = 1;
  theirs.items[0].depth = 1;
  EXPECT_EQ(
      told(mine, theirs, geometry),
      "the other side exchanges 'f0' in buffer 1, this side in buffer 0; the other side exchanges depth 1 of 'f0', "
      "this side the whole halo; the other side exchanges 'f0' in all directions, this side in some");
}

TEST(Difference, NamesAFieldThatOneSideAloneExchanges) {
  const auto geometry = geometry_of(2);
  EXPECT_EQ(told(first(1), first(2), geometry), "the other side exchanges 'f1', this side does not");
  EXPECT_EQ(told(first(2), first(1), geometry), "the other side does not exchange 'f1', this side does");
}

TEST(Difference, FindsChangesOfTwoFields) {
  const auto geometry = geometry_of(4);
  Selection theirs = first(3);
  theirs.items[0].buffer = 1;
  theirs.items[2].depth = 1;
  EXPECT_EQ(
      told(first(3), theirs, geometry),
      "the other side exchanges 'f0' in buffer 1, this side in buffer 0; the other side exchanges depth 1 of 'f2', "
      "this side the whole halo");
}

/// One rank swapped all fields once more: so many changes are found as they belong together.
TEST(Difference, FindsASwapOfAllFields) {
  const auto geometry = geometry_of(4, 3, 1);
  Selection theirs = first(4);
  for (int f = 0; f < 3; ++f) theirs.items[static_cast<std::size_t>(f)].buffer = 2;
  EXPECT_EQ(
      told(first(4), theirs, geometry),
      "the other side exchanges 'f0' in buffer 2, this side in buffer 0; the other side exchanges 'f1' in buffer 2, "
      "this side in buffer 0; the other side exchanges 'f2' in buffer 2, this side in buffer 0");
}

TEST(Difference, IsEmptyWhereNothingNearHasTheToken) {
  Selection theirs = first(4);
  for (const std::size_t f : {0U, 1U, 2U}) theirs.items[f].depth = 1;
  EXPECT_EQ(told(first(4), theirs, geometry_of(4)), "") << "three fields";
  EXPECT_EQ(difference(first(4), 1, geometry_of(4)), "") << "another program";
}

/// Other ranks wait meanwhile: among 100 fields a change of one is looked for, a change of two is not.
TEST(Difference, DoesNotTryAllPairsOfManyFields) {
  const auto geometry = geometry_of(100);
  Selection theirs = first(100);
  theirs.items[98].buffer = 1;
  EXPECT_EQ(told(first(100), theirs, geometry), "the other side exchanges 'f98' in buffer 1, this side in buffer 0");
  theirs.items[99].buffer = 1;
  EXPECT_EQ(told(first(100), theirs, geometry), "");
}

/// 40 fields have 6 alternatives each, and the last one as many as it has buffers: pairs of up to 244 changes are tried.
TEST(Difference, TriesAllPairsUpToALimit) {
  for (const int last_buffers : {4, 5}) {
    auto fields = geometry_of(41, 2, last_buffers).fields;
    fields.back().stencil = Stencil::box(1);
    const partition::Geometry geometry{partition::make_partition({.extent = {12, 12, 12}, .halo = Stencil::box(3)}),
                                       std::move(fields), Stencil::box(3), all_periodic};
    Selection theirs = first(41);
    theirs.items[0].buffer = 1;
    theirs.items[1].depth = 1;
    EXPECT_EQ(told(first(41), theirs, geometry),
              last_buffers == 5 ? ""
                                : "the other side exchanges 'f0' in buffer 1, this side in buffer 0; the other side "
                                  "exchanges depth 1 of 'f1', this side the whole halo");
  }
}

TEST(Difference, SelectionsArePrintedWithWhatIsNotTheWhole) {
  const auto geometry = geometry_of(2);
  EXPECT_EQ(selection_text({}, geometry), "nothing");
  Selection selection = first(2);
  selection.items[1] = {
      .field = field_id(1), .buffer = 1, .directions = only_towards(Direction::of(1, 0, 0)), .depth = 2};
  EXPECT_EQ(selection_text(selection, geometry), "'f0' (buffer 0), 'f1' (buffer 1, depth 2, 1 of 26 directions)");
}

}  // namespace
}  // namespace halocline::exchange
