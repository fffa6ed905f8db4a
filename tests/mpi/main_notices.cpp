// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support/mpi_world.hpp"

// Fails on a rank above 0, whose output is not shown.
TEST(MpiMain, FailsOnTheLastRankOnly) {
  auto& world = halocline::test::mpi_world();
  EXPECT_NE(world.rank().value(), world.size() - 1);
}
