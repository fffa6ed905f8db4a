// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "comm/local_ranks.hpp"
#include "core/median.hpp"
#include "halocline/session.hpp"
#include "laplace3d/comparison.hpp"

namespace {

using laplace3d::Row;
using laplace3d::SchemeKind;

TEST(LaplaceComparison, speed_ups_are_over_the_fastest_on_one_device_and_left_right_on_as_many) {
  const halocline::Vec3 size{8, 8, 8};
  const auto row = [&](std::int64_t devices, SchemeKind scheme, double gflops) {
    Row r;
    r.size = size;
    r.devices = devices;
    r.scheme = scheme;
    r.gflops = gflops;
    return r;
  };
  std::vector<Row> rows{row(1, SchemeKind::left_right, 2), row(1, SchemeKind::threads, 4),
                        row(2, SchemeKind::left_right, 5), row(2, SchemeKind::threads, 8)};
  EXPECT_EQ(over_one_device(rows[3], rows), 2.0);
  EXPECT_EQ(over_left_right(rows[3], rows), 1.6);
  EXPECT_EQ(over_left_right(rows[1], rows), 2.0);
  rows[3].size = {9, 9, 9};
  EXPECT_FALSE(over_one_device(rows[3], rows).has_value());
  EXPECT_FALSE(over_left_right(rows[3], rows).has_value());
}

TEST(LaplaceComparison, has_a_row_for_each_scheme_size_and_number_of_devices) {
  const auto comm = halocline::comm::serial();
  laplace3d::Comparison what;
  what.sizes = {{8, 8, 8}, {6, 5, 12}};
  what.devices = {1, 2};
  what.schemes.assign(laplace3d::all_schemes.begin(), laplace3d::all_schemes.end());
  what.coefficients = default_coefficients(what.stencil);
  what.steps = 10;
  what.rounds = 3;
  what.check = true;
  int calls = 0;
  const auto rows = laplace3d::compare<double>(
      *comm, what, [&](const auto& now) { EXPECT_EQ(now.size(), static_cast<std::size_t>(6 * ++calls)); });
  EXPECT_EQ(calls, 4);
  ASSERT_EQ(rows.size(), 24u);
  for (const Row& row : rows) {
    EXPECT_EQ(row.step_s.size(), 3u);
    EXPECT_GT(row.gflops, 0);
    const double operations = static_cast<double>(row.size.volume()) * 8;
    EXPECT_NEAR(row.gflops * 1e9 * halocline::median(row.step_s) / operations, 1, 1e-9);
    ASSERT_TRUE(row.check.has_value());
    EXPECT_TRUE(row.check->passed()) << to_string(row.scheme) << " on " << row.devices;
    EXPECT_EQ(row.check->cells, row.size.volume());
  }
  EXPECT_EQ(rows[6].devices, 2);
  EXPECT_EQ(rows[6].scheme, SchemeKind::baseline);
  EXPECT_TRUE(rows[0].size == what.sizes[0]);
}

}  // namespace
