// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/patterns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/error.hpp"

namespace halocline::mapping {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Patterns, grids_are_as_near_to_cubes_as_the_ranks_divide) {
  EXPECT_THAT(grid_of(Pattern::stencil_2d, 64), ElementsAre(8, 8, 1));
  EXPECT_THAT(grid_of(Pattern::stencil_3d, 64), ElementsAre(4, 4, 4));
  EXPECT_THAT(grid_of(Pattern::alltoall, 24), ElementsAre(4, 3, 2));
  EXPECT_THAT(grid_of(Pattern::stencil_2d, 12), ElementsAre(4, 3, 1));
  EXPECT_THAT(grid_of(Pattern::stencil_3d, 7), ElementsAre(7, 1, 1));
  EXPECT_THAT(grid_of(Pattern::stencil_3d, 1), ElementsAre(1, 1, 1));
}

TEST(Patterns, a_stencil_meets_two_neighbours_a_dimension_within_the_mesh) {
  const PatternRequest request{.pattern = Pattern::stencil_2d, .ranks = 64, .bytes = 10, .weighted = true};
  // Rank 9 is at (1, 1) of 8 x 8.
  EXPECT_THAT(messages_of(request, 9), ElementsAre(PatternMessage{1, 30, 0, -1}, PatternMessage{17, 30, 0, 1},
                                                   PatternMessage{8, 10, 1, -1}, PatternMessage{10, 10, 1, 1}));
  EXPECT_THAT(messages_of(request, 0), ElementsAre(PatternMessage{8, 30, 0, 1}, PatternMessage{1, 10, 1, 1}));
  // 2 x 7 x 8 pairs of neighbours, in both directions; half of the messages are 3 times as large.
  EXPECT_EQ(matrix_of(request).total_bytes(), 2 * 7 * 8 * (10 + 30));
}

TEST(Patterns, a_group_along_the_first_dimension_is_every_16th_rank_of_64) {
  const PatternRequest request{.pattern = Pattern::alltoall, .ranks = 64, .bytes = 5};
  EXPECT_THAT(messages_of(request, 17),
              ElementsAre(PatternMessage{1, 5, 0, 0}, PatternMessage{33, 5, 0, 0}, PatternMessage{49, 5, 0, 0}));
  EXPECT_EQ(matrix_of(request).total_bytes(), 64 * 3 * 5);
}

TEST(Patterns, a_grid_that_wraps_around_gives_each_rank_six_neighbours) {
  const auto matrix = hoomd_like(64, 7);
  EXPECT_EQ(matrix.total_bytes(), 64 * 6 * 7);
  EXPECT_THAT(matrix.row(0),
              ElementsAre(Flow{1, 7, 1}, Flow{3, 7, 1}, Flow{4, 7, 1}, Flow{12, 7, 1}, Flow{16, 7, 1}, Flow{48, 7, 1}));
}

TEST(Patterns, a_periodic_dimension_of_2_meets_the_neighbour_twice_and_of_1_nobody) {
  EXPECT_THAT(hoomd_like(2, 7).row(0), ElementsAre(Flow{1, 14, 2}));
  EXPECT_EQ(hoomd_like(1, 7).total_bytes(), 0);
}

TEST(Patterns, irregular_ones_are_symmetric_and_follow_their_seed) {
  const IrregularRequest request{.ranks = 40, .degree = 5, .bytes = 1000, .seed = 3};
  const auto matrix = irregular(request);
  EXPECT_EQ(irregular(request), matrix);
  std::int64_t messages = 0;
  for (int from = 0; from < 40; ++from) {
    for (const Flow& flow : matrix.row(from)) {
      messages += flow.messages;
      EXPECT_NE(flow.to, from);
      EXPECT_EQ(matrix.bytes(flow.to, from), flow.bytes);
    }
  }
  EXPECT_EQ(messages, 40 * 5);
  EXPECT_NE(irregular({.ranks = 40, .degree = 5, .bytes = 1000, .seed = 4}), matrix);
}

TEST(Patterns, name_what_they_do_not_take) {
  const auto refused = [](const PatternRequest& request, int rank, const std::string& message) {
    EXPECT_THAT([&] { static_cast<void>(messages_of(request, rank)); },
                ThrowsMessage<InvalidArgument>(HasSubstr(message)));
  };
  refused({.ranks = 0}, 0, "a pattern of 0 ranks; allowed is 1 or more");
  refused({.bytes = -1}, 0, "has -1 bytes; allowed is 0 to");
  refused({.ranks = 4}, 4, "the rank of a pattern is 4; allowed is 0 to 3");
  refused({.pattern = Pattern::alltoall, .weighted = true}, 0, "the pattern col is weighted; allowed is neither");
  refused({.pattern = Pattern::alltoall, .periodic = true}, 0, "the pattern col is periodic");
  refused({.ranks = 4}, -1, "the rank of a pattern is -1; allowed is 0 to 3");
  EXPECT_THAT([] { static_cast<void>(irregular({.ranks = 4, .degree = 4})); },
              ThrowsMessage<InvalidArgument>("the degree of a pattern is 4; allowed is 0 to 3"));
  EXPECT_THAT([] { static_cast<void>(irregular({.ranks = 4, .degree = -1})); },
              ThrowsMessage<InvalidArgument>("the degree of a pattern is -1; allowed is 0 to 3"));
  EXPECT_THAT([] { static_cast<void>(to_string(static_cast<Pattern>(99))); },
              ThrowsMessage<InternalError>("a pattern without a name"));
}

TEST(Patterns, tell_messages_apart_by_receiver_size_dimension_and_side) {
  const PatternMessage message{1, 2, 1, -1};
  EXPECT_FALSE(message == (PatternMessage{0, 2, 1, -1}));
  EXPECT_FALSE(message == (PatternMessage{1, 3, 1, -1}));
  EXPECT_FALSE(message == (PatternMessage{1, 2, 0, -1}));
  EXPECT_FALSE(message == (PatternMessage{1, 2, 1, 1}));
}

}  // namespace
}  // namespace halocline::mapping
