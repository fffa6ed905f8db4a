// SPDX-License-Identifier: BSD-3-Clause
#include "statistics.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/median.hpp"
#include "halocline/error.hpp"

namespace {

using cli::statistics_of;
using halocline::percentile;

TEST(Percentile, IsLinearBetweenNeighbours) {
  const std::vector<double> sorted{10, 20, 30, 40, 50};
  EXPECT_DOUBLE_EQ(percentile(sorted, 0), 10);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.25), 20);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.5), 30);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.95), 48);
  EXPECT_DOUBLE_EQ(percentile(sorted, 1), 50);
  EXPECT_DOUBLE_EQ(percentile(std::vector<double>{7}, 0.95), 7);
  EXPECT_THROW(static_cast<void>(percentile({}, 0.5)), halocline::InvalidArgument);
}

TEST(Statistics, OfValuesInAnyOrder) {
  const auto s = statistics_of(std::vector<double>{50, 10, 40, 20, 30});
  EXPECT_DOUBLE_EQ(s.mean, 30);
  EXPECT_DOUBLE_EQ(s.min, 10);
  EXPECT_DOUBLE_EQ(s.p25, 20);
  EXPECT_DOUBLE_EQ(s.p50, 30);
  EXPECT_DOUBLE_EQ(s.p75, 40);
  EXPECT_DOUBLE_EQ(s.p95, 48);
  EXPECT_DOUBLE_EQ(s.max, 50);
}

TEST(Statistics, TrimeanIsThatOfTheReferenceCode) {
  // 30 values, as in the measurement protocol: the quartiles are the sorted values 7, 14 and 21.
  std::vector<double> values;
  for (int i = 29; i >= 0; --i) values.push_back(i * i);
  EXPECT_DOUBLE_EQ(statistics_of(values).trimean, (49.0 + 2 * 196 + 441) / 4);
  EXPECT_DOUBLE_EQ(statistics_of(std::vector<double>{3, 1, 2}).trimean, 1);
  EXPECT_THROW(static_cast<void>(statistics_of({})), halocline::InvalidArgument);
}

}  // namespace
