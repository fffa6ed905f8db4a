// SPDX-License-Identifier: BSD-3-Clause
#include "pictures/baseline_picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cli {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

CsvRow row(const std::string& variant, const std::string& size, const std::string& steady,
           const std::string& barrier = "") {
  return {{"config", variant}, {"size", size},       {"grid_x", "1"},      {"grid_y", "1"},
          {"grid_z", "2"},     {"steady_s", steady}, {"median_s", barrier}};
}

TEST(BaselinePicture, HasTheFastestVariantOfEachLibraryAtEachSize) {
  const auto charts =
      baseline_charts({row("NCCL, more channels", "128", "4e-5"), row("NCCL graph", "128", "6e-5"),
                       row("NCCL, more channels", "64", "3e-5"), row("NCCL graph", "64", "1e-5"),
                       row("NCCL graph", "64", "2e-5"), row("NCCL graph", "64", "9e-5"), row("MPI", "64", "5e-5")});
  ASSERT_EQ(charts.size(), 1u) << "nothing was timed behind a barrier";
  EXPECT_EQ(charts[0].title, "ranks 1 x 1 x 2, back to back: the fastest way by each library");
  EXPECT_THAT(charts[0].x_ticks, ElementsAre(64, 128));
  ASSERT_EQ(charts[0].series.size(), 2u);
  EXPECT_EQ(charts[0].series[0].name, "NCCL");
  const auto& nccl = charts[0].series[0].values;
  ASSERT_EQ(nccl.size(), 2u);
  EXPECT_THAT(nccl[0].y, DoubleNear(20, 1e-9)) << "the median of three rounds of the graph, not its fastest round";
  EXPECT_THAT(nccl[0].lowest, DoubleNear(10, 1e-9));
  EXPECT_THAT(nccl[0].highest, DoubleNear(90, 1e-9));
  EXPECT_THAT(nccl[1].y, DoubleNear(40, 1e-9));
  EXPECT_EQ(charts[0].series[1].name, "MPI");
}

TEST(BaselinePicture, HasAChartForEachGridAndEachWayOfTiming) {
  CsvRow other = row("Halocline", "64", "1e-5", "2e-5");
  other["grid_x"] = "2";
  other["grid_z"] = "1";
  const auto charts = baseline_charts({row("Halocline", "64", "1e-5", "2e-5"), other});
  ASSERT_EQ(charts.size(), 4u);
  EXPECT_THAT(charts[1].title, testing::HasSubstr("1 x 1 x 2, behind a barrier"));
  EXPECT_THAT(charts[1].series.at(0).values.at(0).y, DoubleNear(20, 1e-9));
  EXPECT_THAT(charts[2].title, testing::HasSubstr("2 x 1 x 1, back to back"));
}

}  // namespace
}  // namespace cli
