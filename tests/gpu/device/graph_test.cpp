// SPDX-License-Identifier: BSD-3-Clause
// Captured work on GPUs.
#include <gmock/gmock.h>

#include "gpu/device/gpus.hpp"

namespace halocline::device::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// One side of an exchange of a word between two GPUs, captured once.
struct Side {
  std::unique_ptr<ShareableBuffer> memory;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Graph> graph;
  FlagPage& at() const { return page(*memory); }
};

class GpuGraphs : public TwoGpus {
 protected:
  Side make_side(int device) { return {make_page(*backend, device), backend->create_stream(device), nullptr}; }

  /// Each exchange: signal "ready", wait for the other side's "ready", store the count into the other's memory, signal
  /// "arrived", and wait for the other's "arrived".
  void enqueue(Side& mine, const Side& other) {
    FlagPage& here = mine.at();
    FlagPage& there = other.at();
    const FlagSignal ready{&there.flags[0], 1};
    mine.stream->advance(&here.epoch, {&ready, 1});
    wait_for(*mine.stream, &here.epoch, &here.flags[0], 1, guard("ready"));
    StridedCopy put;
    put.source = reinterpret_cast<const std::byte*>(&here.epoch);
    put.target = reinterpret_cast<std::byte*>(&there.flags[7].epoch);
    put.extent = {1, 1, 1};
    put.element_bytes = 8;
    mine.stream->copy(put);
    signal_to(*mine.stream, &here.epoch, &there.flags[1], 2);
    wait_for(*mine.stream, &here.epoch, &here.flags[1], 2, guard("arrived"));
    // Read before the other side may store again: it waits for this side's "ready".
    put.source = reinterpret_cast<const std::byte*>(&here.flags[7].epoch);
    put.target = reinterpret_cast<std::byte*>(&here.flags[7].token);
    mine.stream->copy(put);
  }
  void capture(Side& mine, const Side& other) {
    mine.stream->begin_capture();
    enqueue(mine, other);
    mine.graph = mine.stream->end_capture();
  }
};

TEST_F(GpuGraphs, ReplayedAndEagerExchangesMixAndAWaitOutlivesThemAll) {
  Side a = make_side(0);
  Side b = make_side(1);
  capture(a, b);
  capture(b, a);
  const auto late = backend->create_stream(0);
  const auto counter = make_page(*backend);
  constexpr std::uint64_t exchanges = 100;
  for (std::uint64_t i = 0; i < exchanges; ++i) late->advance(&page(*counter).epoch);
  wait_for(*late, &page(*counter).epoch, &page(*counter).flags[0], 5, guard("all exchanges"));
  for (std::uint64_t i = 0; i < exchanges; ++i) {
    for (auto* side : {&a, &b}) {
      if (i % 5 == 4) enqueue(*side, side == &a ? b : a);
      else side->stream->launch(*side->graph);
    }
  }
  a.stream->synchronize();
  b.stream->synchronize();
  EXPECT_FALSE(late->query());
  signal_to(*a.stream, &a.at().epoch, &page(*counter).flags[0], 5);
  late->synchronize();
  for (const Side* side : {&a, &b}) {
    EXPECT_EQ(read(&side->at().epoch), exchanges);
    EXPECT_EQ(read(&side->at().flags[7].token), exchanges);
  }
}

TEST_F(GpuGraphs, TenThousandReplays) {
  Side a = make_side(0);
  Side b = make_side(1);
  capture(a, b);
  capture(b, a);
  constexpr std::uint64_t exchanges = 10000;
  for (std::uint64_t i = 0; i < exchanges; ++i) {
    a.stream->launch(*a.graph);
    b.stream->launch(*b.graph);
  }
  a.stream->synchronize();
  b.stream->synchronize();
  EXPECT_EQ(read(&a.at().flags[7].token), exchanges);
  EXPECT_EQ(read(&b.at().flags[7].token), exchanges);
}

TEST_F(GpuGraphs, OneGraphOfTwoGpusIsLaunchedFromEither) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto origin = backend->create_stream(0);
  const auto side = backend->create_stream(1);
  const auto fork = backend->create_event(0);
  const auto join = backend->create_event(1);
  origin->begin_capture();
  origin->record(*fork);
  side->wait(*fork);
  side->advance(&at.flags[6].epoch);
  side->record(*join);
  origin->advance(&at.epoch);
  origin->wait(*join);
  const auto graph = origin->end_capture();
  for (int i = 0; i < 50; ++i) {
    origin->launch(*graph);
    side->launch(*graph);
  }
  origin->synchronize();
  side->synchronize();
  EXPECT_EQ(read(&at.epoch), 100u);
  EXPECT_EQ(read(&at.flags[6].epoch), 100u);
}

TEST_F(GpuGraphs, MisuseOfCapturesIsAnInternalError) {
  const auto memory = make_page(*backend);
  const auto origin = backend->create_stream(0);
  const auto side = backend->create_stream(1);
  const auto fork = backend->create_event(0);
  const auto join = backend->create_event(1);
  EXPECT_THAT(thrown([&] { (void)origin->end_capture(); }), HasSubstr("the stream is not being captured"));
  origin->begin_capture();
  origin->record(*fork);
  side->wait(*fork);
  EXPECT_EQ(thrown([&] { origin->begin_capture(); }), "internal: begin_capture: the stream is being captured");
  EXPECT_EQ(thrown([&] { (void)origin->query(); }), "internal: query: the stream is being captured");
  EXPECT_EQ(thrown([&] { side->synchronize(); }), "internal: synchronize: the stream is being captured");
  EXPECT_THAT(thrown([&] { (void)side->end_capture(); }), HasSubstr("joined a capture that another stream began"));
  EXPECT_THAT(thrown([&] { (void)fork->query(); }), HasSubstr("last recorded in a capture"));
  (void)backend->prepare(0, {});  // queries and allocations do not disturb the capture
  (void)backend->allocate(0, 1000);
  side->advance(&page(*memory).epoch);
  side->record(*join);
  origin->wait(*join);
  const auto graph = origin->end_capture();
  EXPECT_THAT(thrown([&] { side->wait(*join); }), HasSubstr("a capture that has ended"));
  origin->launch(*graph);
  origin->synchronize();
  EXPECT_EQ(read(&page(*memory).epoch), 1u);

  origin->begin_capture();
  EXPECT_THAT(thrown([&] { origin->launch(*graph); }), StartsWith("capability: "));
  origin->record(*fork);
  side->wait(*fork);
  side->advance(&page(*memory).epoch);
  EXPECT_THAT(thrown([&] { (void)origin->end_capture(); }), HasSubstr("was not joined"));
  EXPECT_FALSE(origin->capturing());
  origin->advance(&page(*memory).epoch);  // usable again
  origin->synchronize();
  EXPECT_EQ(read(&page(*memory).epoch), 2u);
}

TEST_F(GpuGraphs, EventsFromOutsideMustBeComplete) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto origin = backend->create_stream(0);
  const auto side = backend->create_stream(1);
  const auto event = backend->create_event(1);
  side->record(*event);
  side->synchronize();
  origin->begin_capture();
  origin->wait(*event);  // complete: nothing to wait for
  wait_for(*side, &at.one, &at.flags[0], 1, guard("pending"));
  side->record(*event);
  EXPECT_THAT(thrown([&] { origin->wait(*event); }), HasSubstr("not complete"));
  (void)origin->end_capture();
  signal_to(*origin, &at.one, &at.flags[0], 1);
  side->synchronize();
}

TEST_F(GpuGraphs, HostFunctionsLiveAsLongAsTheirGraph) {
  auto alive = std::make_shared<int>(0);
  const auto stream = backend->create_stream(0);
  stream->begin_capture();
  stream->host_function([alive] { ++*alive; });
  auto graph = stream->end_capture();
  for (int i = 0; i < 10; ++i) stream->launch(*graph);
  stream->synchronize();
  EXPECT_EQ(*alive, 10);
  graph.reset();
  const auto gone = [&] { return alive.use_count() == 1; };
  EXPECT_TRUE(backend->wait_until(gone, patience()));
}

}  // namespace
}  // namespace halocline::device::test
