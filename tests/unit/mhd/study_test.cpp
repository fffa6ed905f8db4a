// SPDX-License-Identifier: BSD-3-Clause
// The runs of a study, and the arithmetic of its rows.
#include "mhd/study.hpp"
#include "comm/local_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "halocline/error.hpp"
#include "halocline/session.hpp"

namespace {

using halocline::Vec3;
using halocline::machine::PowerSource;
using mhd::StudyKind;
using mhd::StudyRow;
using testing::HasSubstr;

mhd::Study study(StudyKind kind, const std::vector<Vec3>& sizes) {
  mhd::Study wanted;
  wanted.kind = kind;
  wanted.sizes = sizes;
  wanted.settings.dt = 1e-7;
  return wanted;
}

std::vector<int> devices_of(const std::vector<mhd::StudyCase>& cases) {
  std::vector<int> devices;
  for (const auto& one : cases) devices.push_back(one.devices);
  return devices;
}

TEST(Study, RanksComeBeforeDevices) {
  const auto share = [](int devices, int ranks, int available) {
    const auto found = mhd::share_of(devices, ranks, available);
    return found ? std::pair(found->ranks, found->devices_per_rank) : std::pair(0, 0);
  };
  EXPECT_EQ(share(1, 4, 2), std::pair(1, 1));
  EXPECT_EQ(share(3, 4, 2), std::pair(3, 1));
  EXPECT_EQ(share(8, 4, 2), std::pair(4, 2));
  EXPECT_EQ(share(8, 1, 8), std::pair(1, 8));
  EXPECT_EQ(share(6, 4, 2), std::pair(0, 0)) << "ranks differ in their number of devices";
  EXPECT_EQ(share(8, 4, 1), std::pair(0, 0)) << "more than there are";
  EXPECT_EQ(share(0, 4, 1), std::pair(0, 0));
}

TEST(Study, CountsArePowersOfTwoAndAll) {
  const auto counts = [](int ranks, int available) {
    return devices_of(cases_of(study(StudyKind::strong, {{32, 32, 32}}), ranks, available));
  };
  EXPECT_EQ(counts(1, 8), (std::vector{1, 2, 4, 8}));
  EXPECT_EQ(counts(4, 2), (std::vector{1, 2, 4, 8}));
  EXPECT_EQ(counts(1, 6), (std::vector{1, 2, 4, 6}));
  EXPECT_EQ(counts(3, 2), (std::vector{1, 2, 6})) << "three ranks do not share four evenly";
  EXPECT_EQ(counts(1, 1), (std::vector{1}));
}

TEST(Study, GivenCountsAreSortedOrRefused) {
  auto wanted = study(StudyKind::strong, {{32, 32, 32}});
  wanted.device_counts = {4, 1, 4, 2};
  EXPECT_EQ(devices_of(cases_of(wanted, 2, 2)), (std::vector{1, 2, 4}));
  try {
    static_cast<void>(cases_of(wanted, 3, 2));
    FAIL() << "nothing was thrown";
  } catch (const halocline::InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("a number of devices is 4; allowed is 1 to 6"));
  }
}

TEST(Study, HasTheCasesOfItsKind) {
  const std::vector<Vec3> sizes{{16, 16, 16}, {32, 32, 32}};
  const auto strong = cases_of(study(StudyKind::strong, sizes), 1, 2);
  ASSERT_EQ(strong.size(), 4u);
  EXPECT_EQ(strong[1].size, sizes[0]);
  EXPECT_EQ(strong[1].series, 0);
  EXPECT_EQ(strong[2].series, 1);
  const auto weak = cases_of(study(StudyKind::weak, sizes), 1, 2);
  EXPECT_EQ(weak[1].size, (Vec3{16, 16, 32}));
  const auto orders = cases_of(study(StudyKind::each_order, {sizes[0]}), 1, 2);
  ASSERT_EQ(orders.size(), 8u);
  EXPECT_EQ(orders[0].order, 2);
  EXPECT_EQ(orders[7].order, 8);
  EXPECT_EQ(orders[7].series, 3);
  const auto parts = cases_of(study(StudyKind::parts, {sizes[0]}), 1, 2);
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_FALSE(parts[1].corners);
  EXPECT_TRUE(parts[2].corners);
  EXPECT_EQ(parts[2].series, 1);
  const auto backends = cases_of(study(StudyKind::backends, {{256, 64, 256}}), 1, 2);
  ASSERT_EQ(backends.size(), 3u);
  EXPECT_FALSE(backends[1].host);
  EXPECT_TRUE(backends[2].host);
  EXPECT_EQ(backends[2].size, (Vec3{128, 64, 128}));
  EXPECT_EQ(backends[2].series, 1);
}

TEST(Study, ThePapersStepsGiveWayToThoseThatAreGiven) {
  auto wanted = study(StudyKind::strong, {{511, 512, 512}, {512, 512, 512}});
  const auto steps = [&wanted] {
    const auto cases = cases_of(wanted, 1, 1);
    return std::pair(cases[0].warm_up * 10'000 + cases[0].steps, cases[1].warm_up * 10'000 + cases[1].steps);
  };
  EXPECT_EQ(steps(), std::pair(100'100L, 100'100L));
  wanted.paper = true;
  EXPECT_EQ(steps(), std::pair(1'001'000L, 1'000'100L));
  wanted.steps = 7;
  wanted.warm_up = 0;
  EXPECT_EQ(steps(), std::pair(7L, 7L));
}

StudyRow row(const Vec3& size, int devices, double step, double model, int series = 0) {
  StudyRow r;
  r.of.size = size;
  r.of.devices = devices;
  r.of.series = series;
  r.step = step;
  r.prediction.step = model;
  return r;
}

TEST(Study, EfficienciesAreOfTheModelAndOfOneDevice) {
  const Vec3 size{10, 10, 10};
  const std::vector<StudyRow> strong{row(size, 1, 8e-3, 6e-3), row(size, 4, 2.5e-3, 2e-3), row(size, 4, 1, 1, 1)};
  EXPECT_DOUBLE_EQ(mhd::nanoseconds_a_cell(strong[0].step, size), 8000);
  EXPECT_DOUBLE_EQ(efficiency_of_model(strong[0]), 0.75);
  EXPECT_DOUBLE_EQ(efficiency_of_scaling(strong[0], strong).value(), 1);
  EXPECT_DOUBLE_EQ(efficiency_of_scaling(strong[1], strong).value(), 0.8);
  EXPECT_FALSE(efficiency_of_scaling(strong[2], strong).has_value()) << "another series";
  const std::vector<StudyRow> weak{row(size, 1, 8e-3, 0), row({10, 20, 20}, 4, 10e-3, 0)};
  EXPECT_DOUBLE_EQ(efficiency_of_scaling(weak[1], weak).value(), 0.8);
  EXPECT_EQ(efficiency_of_model(row(size, 1, 0, 1)), 0);
}

TEST(Study, UpdatesAWattNeedPower) {
  StudyRow r = row({10, 10, 10}, 2, 1e-3, 0);
  EXPECT_FALSE(updates_a_second_a_watt(r).has_value());
  r.power = {500, PowerSource::counted, {}};
  EXPECT_DOUBLE_EQ(updates_a_second_a_watt(r).value(), 1e6 / 500);
}

/// Small, on ranks that are threads.
std::vector<StudyRow> run(const mhd::Study& wanted, int ranks) {
  std::vector<StudyRow> rows;
  const auto one = [&](halocline::comm::RankGroup& world) {
    std::size_t told = 0;
    auto mine = mhd::run_study<double>(world, wanted, [&told](const auto& now) { EXPECT_EQ(now.size(), ++told); });
    if (world.rank().value() == 0) {
      EXPECT_EQ(told, mine.size());
      rows = std::move(mine);
    } else {
      EXPECT_EQ(told, 0u);
      for (const StudyRow& r : mine) EXPECT_GT(r.ranks, world.rank().value()) << "this rank was to wait";
      EXPECT_FALSE(mine.empty());
    }
  };
  if (ranks > 1) {
    halocline::comm::run_as_threads(ranks, one);
  } else {
    one(*halocline::comm::serial());
  }
  return rows;
}

TEST(Study, MeasuresOnAsManyDevicesAsItSays) {
  for (const int ranks : {1, 2}) {
    auto wanted = study(StudyKind::strong, {{12, 12, 12}});
    wanted.steps = 3;
    wanted.warm_up = 1;
    wanted.options.devices.kind = halocline::DeviceKind::host;
    wanted.options.devices.per_rank = 4 / ranks;
    const auto rows = run(wanted, ranks);
    ASSERT_EQ(rows.size(), 3u);
    const std::array<const char*, 3> grids{"1x1x1", "1x1x2", "1x2x2"};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const StudyRow& r = rows[i];
      EXPECT_EQ(r.grid, grids[i]) << ranks;
      EXPECT_EQ(r.ranks, std::min(ranks, r.of.devices));
      EXPECT_EQ(r.backend, "host");
      EXPECT_GT(r.fastest, 0);
      EXPECT_LE(r.fastest, r.step);
      EXPECT_LE(r.step, r.slowest);
      EXPECT_GT(r.parts.compute, 0);
      EXPECT_GT(r.parts.exchange, 0);
      EXPECT_GT(r.parts.synchronisation, 0);
      EXPECT_EQ(r.power.source, PowerSource::none);
      EXPECT_EQ(r.prediction.seconds_per_update, rows[0].prediction.seconds_per_update) << "that of one device";
      const double work = rows[0].parts.compute / r.of.devices;
      const double longer = std::max(work, r.parts.exchange);
      EXPECT_NEAR(r.prediction.step / (r.of.devices > 1 ? longer : std::clamp(r.prediction.step, work, longer)), 1,
                  1e-9);
    }
    EXPECT_DOUBLE_EQ(rows[0].prediction.seconds_per_update, rows[0].parts.compute / 1728);
  }
}

TEST(Study, EndsWithTheRowOfTheProcessorsCores) {
  auto wanted = study(StudyKind::backends, {{12, 12, 12}});
  wanted.steps = 2;
  wanted.warm_up = 0;
  wanted.order = 2;
  wanted.options.devices.per_rank = 2;
  wanted.options.devices.kind = halocline::DeviceKind::host;
  const auto rows = run(wanted, 1);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[2].of.host);
  EXPECT_EQ(rows[2].grid, "1x1x1");
  EXPECT_EQ(rows[2].of.steps, 2);
}

TEST(Study, ErrorsOfSomeRanksAreThoseOfAll) {
  auto wanted = study(StudyKind::strong, {{4, 4, 4}});
  wanted.steps = 1;
  wanted.options.devices.kind = halocline::DeviceKind::host;
  wanted.options.devices.per_rank = 1;
  wanted.device_counts = {2};  // three ranks cannot drive two devices
  int refused = 0;
  std::mutex one_at_a_time;
  halocline::comm::run_as_threads(3, [&](halocline::comm::RankGroup& world) {
    try {
      static_cast<void>(mhd::run_study<double>(world, wanted));
    } catch (const halocline::InvalidArgument& error) {
      const std::lock_guard lock(one_at_a_time);
      EXPECT_THAT(error.what(), HasSubstr("domain extent is 4 x 4 x 4 with halos of width 3, too small"));
      ++refused;
    }
  });
  EXPECT_EQ(refused, 3);
  wanted.settings.dt.reset();
  EXPECT_THROW(static_cast<void>(mhd::run_study<double>(*halocline::comm::serial(), wanted)),
               halocline::InvalidArgument);
}

}  // namespace
