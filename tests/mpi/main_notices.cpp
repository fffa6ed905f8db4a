// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support/mpi_world.hpp"

// Fails on one rank above 0, where nobody looks.
TEST(MpiMain, FailsOnTheLastRankOnly) {
  auto& world = halocline::test::mpi_world();
  EXPECT_NE(world.rank().value(), world.size() - 1);
}
