// SPDX-License-Identifier: BSD-3-Clause
#include "measured.hpp"
#include "machine/synthetic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace cli;
using namespace halocline::machine;
using testing::HasSubstr;

constexpr int host = Measurement::host;

MachineMap measured_map() {
  MachineMap map = synthetic({1, 2, 1});
  NodeType& type = map.types[0];
  const int numa = static_cast<int>(type.vertices.size());
  type.vertices.push_back({VertexKind::numa, "NUMA node 0", 0, 0, -1});
  type.links.push_back({numa, 0, LinkKind::memory, 100e9, 1e-7});
  type.measurements = {
      {.from = 0, .to = 1, .method = "copy", .bandwidth = 280e9, .latency = 2e-6},
      {.from = 0, .to = 1, .method = "copy", .bandwidth = 279e9, .traffic = Traffic::two_way},
      {.from = 1, .to = 0, .method = "copy", .bandwidth = 30e9, .latency = 3e-6},
      {.from = 1, .to = 0, .method = "copy", .bandwidth = 27e9, .traffic = Traffic::all_pairs},
      {.from = 0, .to = 0, .method = "copy", .bandwidth = 1.9e12, .latency = 1e-6},
      {.from = 0, .to = 1, .method = "flag", .bandwidth = 8e6, .latency = 0.75e-6},
      {.from = host, .to = 0, .method = "pinned", .bandwidth = 24e9, .latency = 5e-6, .numa = numa},
      {.from = 0, .to = host, .method = "pageable", .bandwidth = 6e9, .latency = 9e-6},
  };
  map.check();
  return map;
}

TEST(MeasuredTables, StandBesideNominal) {
  const std::string text = measured_tables(measured_map());
  EXPECT_THAT(text, testing::ContainsRegex("from +to +nominal +copy\n"));
  EXPECT_THAT(text, testing::ContainsRegex(" 0 +1 +300 +280 / 279\n"));
  EXPECT_THAT(text, testing::ContainsRegex(" 1 +0 +300 +30.0 / - / 27.0\n"));
  EXPECT_THAT(text, testing::ContainsRegex("from +to +nominal +copy +flag\n"));
  EXPECT_THAT(text, testing::ContainsRegex(" 0 +1 +1.00 +2.00 +0.750\n"));
  EXPECT_THAT(text, testing::ContainsRegex(" 1 +0 +1.00 +3.00 +-\n"));
  EXPECT_THAT(text, testing::ContainsRegex(" 0 +2000 +1900 +1.00\n"));
  EXPECT_THAT(text, testing::ContainsRegex("0 +NUMA node 0 +pinned +25.0 +24.0 +- +5.00 +-\n"));
  EXPECT_THAT(text, testing::ContainsRegex("0 +any +pageable +- +- +6.00 +- +9.00\n"));
  EXPECT_EQ(measured_tables(synthetic({1, 2, 1})), "");
}

TEST(MeasuredWarnings, AreOfSlowPathsTheSlowestFirst) {
  MachineMap map = measured_map();
  const auto lines = warnings_of(map, 16);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "copy from device 1 to device 0 measured 30.0 GB/s, nominal are 300 GB/s (-90 %)");
  map.types[0].measurements[0].bandwidth = 400e9;
  map.types[0].measurements[6].bandwidth = 5e9;
  EXPECT_THAT(warnings_of(map, 16),
              testing::ElementsAre(HasSubstr("(-90 %)"),
                                   HasSubstr("pinned from host to device 0, NUMA node 0 measured 5.00 GB/s")));
  EXPECT_THAT(warnings_of(map, 1), testing::ElementsAre(HasSubstr("(-90 %)"), HasSubstr("and 1 more")));
}

TEST(MeasuredLeftOut, SaysHowOftenAndWhy) {
  const std::vector<LeftOut> left_out{{"put", "no access", 2}, {"flag", "asleep", 1}};
  EXPECT_EQ(left_out_text(left_out), "not measured: put, 2 times: no access\nnot measured: flag, 1 time: asleep\n");
}

}  // namespace
