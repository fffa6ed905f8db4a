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
  what.schemes = laplace3d::schemes_for(1);
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

TEST(LaplaceComparison, of_several_ranks_has_the_schemes_of_one_process_beside_those_of_all) {
  halocline::comm::run_as_threads(3, [](halocline::comm::RankGroup& comm) {
    laplace3d::Comparison what;
    what.sizes = {{6, 5, 12}};
    what.schemes = laplace3d::schemes_for(3);
    what.coefficients = default_coefficients(what.stencil);
    what.steps = 10;
    what.rounds = 2;
    what.check = true;
    const auto rows = laplace3d::compare<double>(comm, what);
    ASSERT_EQ(rows.size(), laplace3d::all_schemes.size());
    for (const Row& row : rows) {
      SCOPED_TRACE(std::string(to_string(row.scheme)));
      EXPECT_EQ(row.devices, 3);
      EXPECT_EQ(row.processes, processes_of(row.scheme) == laplace3d::Processes::one ? 1 : 3);
      ASSERT_TRUE(row.check.has_value());
      EXPECT_TRUE(row.check->passed());
      EXPECT_EQ(row.check->cells, 360);
      EXPECT_GT(row.gflops, 0);
      EXPECT_TRUE(over_left_right(row, rows).has_value());
      EXPECT_TRUE(over_left_right_mpi(row, rows).has_value());
      // All ranks have the same times.
      EXPECT_EQ(comm.all_reduce(row.gflops, halocline::comm::Reduction::min), row.gflops);
    }
  });
}

TEST(LaplaceComparison, schemes_of_one_process_need_one_node) {
  halocline::comm::run_as_threads(2, [](halocline::comm::RankGroup& comm) {
    laplace3d::Comparison what;
    what.sizes = {{6, 5, 12}};
    what.schemes = {SchemeKind::threads};
    what.coefficients = default_coefficients(what.stencil);
    what.options.machine.ranks_per_node = 1;
    try {
      static_cast<void>(laplace3d::compare<double>(comm, what));
      ADD_FAILURE() << "it was not refused";
    } catch (const halocline::InvalidArgument& error) {
      EXPECT_NE(std::string(error.what())
                    .find("scheme 'threads' needs all devices in one process, and the 2 ranks are on 2 "
                          "nodes"),
                std::string::npos)
          << error.what();
    }
  });
}

}  // namespace
