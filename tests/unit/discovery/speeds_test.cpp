// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/speeds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "halocline/error.hpp"
#include "support/error_of.hpp"
#include "support/manual_clock.hpp"

namespace halocline::machine {
namespace {

using test::error_of;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

/// Ranks of one device each, whose kernel takes so many microseconds for 1000 cells by the device's clock.
std::vector<Speeds> measured(const std::vector<int>& microseconds, std::int64_t cells = 1000) {
  std::vector<Speeds> results(microseconds.size());
  comm::run_as_threads(static_cast<int>(microseconds.size()), [&](comm::RankGroup& comm) {
    test::ManualClock clock;
    device::HostOptions options;
    options.clock = &clock;
    const auto backend = device::make_host_backend(options);
    const auto stream = backend->create_stream(0);
    const auto step = std::chrono::microseconds(microseconds[comm.rank().index()]);
    const Trial trial{stream.get(), cells, [&] {
                        stream->launch(Box::of_extent({1, 1, 1}), [&clock, step](const Box&) { clock.advance(step); });
                      }};
    results[comm.rank().index()] = measure_speeds(comm, *backend, {trial});
  });
  return results;
}

TEST(Speeds, are_the_same_on_all_ranks) {
  const auto results = measured({10, 40, 20});
  for (const Speeds& speeds : results) {
    EXPECT_THAT(speeds.cells_per_second, ElementsAre(DoubleNear(1e8, 1), DoubleNear(2.5e7, 1), DoubleNear(5e7, 1)));
  }
}

TEST(Speeds, that_differ_by_less_than_five_percent_are_equal) {
  const auto speeds = measured({100, 104}).front().cells_per_second;
  EXPECT_EQ(speeds[0], speeds[1]);
  const auto different = measured({100, 106}).front().cells_per_second;
  EXPECT_GT(different[0], 1.05 * different[1]);
}

TEST(Speeds, of_a_kernel_that_takes_no_time_are_refused_on_all_ranks) {
  EXPECT_THAT(
      error_of<InvalidArgument>([] {
        return measured({10, 0});
      }),
      HasSubstr("rank 1: kernel on device 0 updates 1000 cells in 0 s; allowed are kernels with cells and time"));
  EXPECT_THAT(error_of<InvalidArgument>([] { return measured({10}, 0); }), HasSubstr("updates 0 cells"));
}

TEST(Speeds, by_the_standard_kernel_are_bounded_in_time) {
  device::HostOptions options;
  options.devices = 2;
  const auto backend = device::make_host_backend(options);
  comm::run_as_threads(1, [&](comm::RankGroup& comm) {
    const Speeds speeds = measure_speeds(comm, *backend);
    ASSERT_EQ(speeds.cells_per_second.size(), 2u);
    EXPECT_GT(speeds.cells_per_second[0], 0);
    EXPECT_GT(speeds.cells_per_second[1], 0);
    EXPECT_LT(speeds.seconds, 30);
    EXPECT_THAT(speeds.text(), HasSubstr("measured in "));
  });
}

}  // namespace
}  // namespace halocline::machine
