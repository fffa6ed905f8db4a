// SPDX-License-Identifier: BSD-3-Clause
// Captures of host devices that cannot be, traces that are mixed up, and workers that cannot start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "device/host.hpp"
#include "device/tracer.hpp"
#include "support/little_address_space.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

using ::testing::HasSubstr;

TEST(HostCaptures, OfTwoStreamsDoNotMix) {
  const auto backend = make_host_backend({});
  const auto one = backend->create_stream(0);
  const auto two = backend->create_stream(0);
  const auto mark = backend->create_event(0);
  one->begin_capture();
  two->begin_capture();
  one->record(*mark);
  EXPECT_EQ(thrown([&] { two->wait(*mark); }),
            "internal: a captured stream cannot wait for an event of another capture");
  EXPECT_EQ(thrown([&] { static_cast<void>(mark->query()); }),
            "internal: query: the event was last recorded in a capture");
  static_cast<void>(one->end_capture());
  EXPECT_EQ(thrown([&] { two->wait(*mark); }), "internal: the event was last recorded in a capture that has ended");
  static_cast<void>(two->end_capture());
  EXPECT_EQ(thrown([&] { static_cast<void>(two->end_capture()); }),
            "internal: end_capture: the stream is not being captured");
}

TEST(HostCaptures, AreEndedByTheStreamThatBeganThem) {
  const auto backend = make_host_backend({});
  const auto one = backend->create_stream(0);
  auto two = backend->create_stream(0);
  const auto mark = backend->create_event(0);
  const auto join = [&] {
    one->begin_capture();
    one->record(*mark);
    two->wait(*mark);
    two->host_function([] {});
  };
  join();
  EXPECT_EQ(thrown([&] { static_cast<void>(two->end_capture()); }),
            "internal: end_capture: the stream joined a capture that another stream began");
  EXPECT_THAT(thrown([&] { static_cast<void>(one->end_capture()); }),
              HasSubstr("internal: end_capture: a stream of host device 0 was not joined: the stream that began the "
                        "capture waits for 0 of its "));
  EXPECT_FALSE(two->capturing());
  join();
  two.reset();
  EXPECT_EQ(thrown([&] { static_cast<void>(one->end_capture()); }),
            "internal: end_capture: a stream of the capture was destroyed");
}

TEST(HostCaptures, DoNotBeginInAStreamThatHasFailed) {
  const auto backend = make_host_backend({});
  const auto good = backend->create_stream(0);
  const auto failed = backend->create_stream(0);
  int runs = 0;
  good->begin_capture();
  good->host_function([&] {
    if (++runs == 2) throw std::runtime_error("the second time");
  });
  const auto graph = good->end_capture();
  failed->host_function([] { throw std::runtime_error("planted"); });
  EXPECT_THAT(failure(*failed), HasSubstr("planted"));
  EXPECT_THAT(thrown([&] { failed->begin_capture(); }), HasSubstr("planted"));
  EXPECT_FALSE(failed->capturing());
  EXPECT_THAT(thrown([&] { failed->launch(*graph); }), HasSubstr("planted"));
  good->begin_capture();
  EXPECT_EQ(thrown([&] { good->launch(*graph); }),
            "capability: a graph cannot be launched by a stream that is being captured");
  static_cast<void>(good->end_capture());
  good->launch(*graph);
  EXPECT_EQ(failure(*good), "");
  good->launch(*graph);
  EXPECT_THAT(failure(*good), HasSubstr("the second time"));
  const auto other = backend->create_stream(0);
  EXPECT_THAT(thrown([&] { other->launch(*graph); }), HasSubstr("the second time")) << "it has failed for all";
  EXPECT_EQ(runs, 2);
}

TEST(DeviceTraces, EndInTheStreamInWhichTheyBegin) {
  const auto backend = make_host_backend({});
  Tracer tracer(*backend);
  const std::size_t operation = tracer.add({Work::copy, 0, "track"});
  const auto one = backend->create_stream(0);
  const auto two = backend->create_stream(0);
  tracer.start();
  tracer.begin(operation, *one);
  EXPECT_EQ(thrown([&] { tracer.end(*two); }), "internal: a traced operation ends in another stream than it began in");
  EXPECT_EQ(thrown([&] { tracer.end(*one); }), "") << "it is still open";
  one->synchronize();
}

/// Leaves address space for a few stacks only.
[[noreturn]] void start_more_workers_than_fit() {
  std::optional<halocline::test::LittleAddressSpace> limit(std::in_place);
  HostOptions options;
  options.workers = 500;
  const std::string error = thrown([&] { static_cast<void>(make_host_backend(options)); });
  limit.reset();
  options.workers = 2;
  const bool again = thrown([&] { static_cast<void>(make_host_backend(options)); }).empty();
  std::fprintf(stderr, "%s; %s\n", again ? "later there is room" : "no room later", error.c_str());
  ::_exit(3);
}

TEST(HostWorkersDeathTest, ThatCannotAllStartEndAndSayWhich) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more address space than this leaves them";
#endif
  EXPECT_EXIT(
      start_more_workers_than_fit(), testing::ExitedWithCode(3),
      "later there is room; resource: cannot start a thread, worker [0-9]+ of 500 of the host devices: Resource "
      "temporarily unavailable; allowed is");
}

}  // namespace
}  // namespace halocline::device::test
