// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "device/host.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class HostGraph : public ::testing::Test {
 protected:
  HostGraph() {
    HostOptions options;
    options.devices = 2;
    options.workers = 2;
    backend = make_host_backend(options);
    memory = make_page(*backend);
    origin = backend->create_stream(0);
    side = backend->create_stream(1);
    fork = backend->create_event(0);
    join = backend->create_event(1);
  }
  FlagPage& at() { return page(*memory); }
  void begin() {
    origin->begin_capture();
    origin->record(*fork);
    side->wait(*fork);
  }

  std::shared_ptr<Backend> backend;
  std::unique_ptr<ShareableBuffer> memory;
  std::unique_ptr<Stream> origin, side;
  std::unique_ptr<Event> fork, join;
};

TEST_F(HostGraph, AStreamThatWasNotJoinedIsAnError) {
  begin();
  side->advance(&at().epoch);
  EXPECT_EQ(thrown([&] { (void)origin->end_capture(); }),
            "internal: end_capture: a stream of host device 1 was not joined: the stream that began the "
            "capture waits for 0 of "
            "its 2 operations");
  EXPECT_FALSE(origin->capturing());
  EXPECT_FALSE(side->capturing());

  begin();  // joined too early
  side->advance(&at().epoch);
  side->record(*join);
  origin->wait(*join);
  side->advance(&at().epoch);
  EXPECT_THAT(thrown([&] { (void)origin->end_capture(); }), HasSubstr("waits for 3 of its 4 operations"));

  side->advance(&at().epoch);  // both streams are usable again
  side->synchronize();
  EXPECT_EQ(at().epoch, 1u);
}

TEST_F(HostGraph, JoinsMayGoThroughOtherStreams) {
  const auto third = backend->create_stream(0);
  const auto relay = backend->create_event(0);
  begin();
  side->advance(&at().epoch);
  side->record(*join);
  third->wait(*join);
  third->advance(&at().epoch);
  third->record(*relay);
  origin->wait(*relay);
  origin->advance(&at().epoch);
  const auto graph = origin->end_capture();
  for (int i = 0; i < 50; ++i) origin->launch(*graph);
  origin->synchronize();
  EXPECT_EQ(at().epoch, 150u);
}

TEST_F(HostGraph, MisuseIsAnInternalError) {
  EXPECT_THAT(thrown([&] { (void)origin->end_capture(); }), HasSubstr("the stream is not being captured"));
  begin();
  EXPECT_EQ(thrown([&] { origin->begin_capture(); }), "internal: begin_capture: the stream is being captured");
  EXPECT_EQ(thrown([&] { (void)origin->query(); }), "internal: query: the stream is being captured");
  EXPECT_EQ(thrown([&] { side->synchronize(); }), "internal: synchronize: the stream is being captured");
  EXPECT_THAT(thrown([&] { (void)side->end_capture(); }), HasSubstr("joined a capture that another stream began"));
  EXPECT_THAT(thrown([&] { (void)fork->query(); }), HasSubstr("last recorded in a capture"));
  side->record(*join);
  origin->wait(*join);
  const auto graph = origin->end_capture();
  EXPECT_THAT(thrown([&] { side->wait(*join); }), HasSubstr("a capture that has ended"));
  origin->begin_capture();
  EXPECT_THAT(thrown([&] { origin->launch(*graph); }), StartsWith("capability: "));
}

TEST_F(HostGraph, EventsFromOutsideMustBeComplete) {
  side->record(*join);
  side->synchronize();
  origin->begin_capture();
  origin->wait(*join);  // complete: nothing to wait for
  wait_for(*side, &at().one, &at().flags[0], 1, guard("pending"));
  side->record(*join);
  EXPECT_THAT(thrown([&] { origin->wait(*join); }), HasSubstr("not complete"));
  (void)origin->end_capture();
}

TEST_F(HostGraph, DestroyingACapturedStreamEndsIt) {
  begin();
  side.reset();
  EXPECT_EQ(thrown([&] { (void)origin->end_capture(); }),
            "internal: end_capture: a stream of the capture was destroyed");
  side = backend->create_stream(1);
  begin();
  origin.reset();
  EXPECT_FALSE(side->capturing());
  side->synchronize();
}

TEST_F(HostGraph, AFailureInALaneFailsTheLaunchingStreamAndTheGraph) {
  begin();
  side->host_function([] { throw std::runtime_error("lane"); });
  side->record(*join);
  origin->wait(*join);
  origin->advance(&at().epoch);
  const auto graph = origin->end_capture();
  const auto launcher = backend->create_stream(0);
  launcher->launch(*graph);
  EXPECT_THAT(failure(*launcher), HasSubstr("host device 1 threw: lane"));
  EXPECT_EQ(at().epoch, 0u);
  EXPECT_THAT(thrown([&] { origin->launch(*graph); }), HasSubstr("threw: lane"));
  origin->synchronize();  // has no work
}

TEST_F(HostGraph, ItsWorkComesAfterWhatTheLaunchingStreamHadAndBeforeWhatItGetsNext) {
  begin();
  std::vector<int> order;
  side->host_function([&] { order.push_back(2); });
  side->record(*join);
  origin->wait(*join);
  const auto graph = origin->end_capture();
  std::vector<int> expected;
  for (int i = 0; i < 100; ++i) {
    origin->host_function([&] { order.push_back(1); });
    origin->launch(*graph);
    origin->host_function([&] { order.push_back(3); });
    expected.insert(expected.end(), {1, 2, 3});
  }
  origin->synchronize();
  EXPECT_EQ(order, expected);
}

TEST_F(HostGraph, LaunchesBySeveralStreamsDoNotOverlap) {
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  origin->begin_capture();
  origin->host_function([&] {
    most = std::max(most.load(), ++inside);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --inside;
  });
  const auto graph = origin->end_capture();
  for (int i = 0; i < 5; ++i) {
    origin->launch(*graph);
    side->launch(*graph);
  }
  origin->synchronize();
  side->synchronize();
  EXPECT_EQ(most, 1);
}

TEST_F(HostGraph, DestroyingAGraphWhoseLaneWaitsDoesNotHang) {
  begin();
  wait_for(*side, &at().one, &at().flags[0], 1, guard("never"));
  side->record(*join);
  origin->wait(*join);
  auto graph = origin->end_capture();
  origin->launch(*graph);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  graph.reset();
  EXPECT_THAT(failure(*origin), StartsWith("device: "));
}

}  // namespace
}  // namespace halocline::device::test
