// SPDX-License-Identifier: BSD-3-Clause
#include "tune/candidates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "machine/synthetic.hpp"

namespace halocline::tune {
namespace {

using routing::Transport;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

struct MachineCase {
  std::int64_t nodes = 1;
  std::int64_t devices_per_node = 4;
  std::int64_t ranks_per_node = 4;
  std::string transports = "direct,peer_copy,ipc_copy,mpi_device,mpi_staged";
  bool gpus = false;
  bool may_cut = true;
  Vec3 extent{64, 64, 64};
  exchange::Tuning tuning{};
  bool measured = false;  ///< the rate between two devices
};

struct Listed {
  std::vector<std::string> tried;
  CandidateList all;
  [[nodiscard]] std::string why(const std::string& what) const {
    for (const io::TunedSkip& skip : all.skipped) {
      if (skip.what == what) return skip.why;
    }
    return "(not skipped)";
  }
};

Listed listed(const MachineCase& c) {
  PlanRequest request;
  request.extent = c.extent;
  request.stencil = Stencil::box(1);
  request.fields.emplace_back();
  request.fields.back().name = "u";
  request.machine = machine::synthetic({c.nodes, c.devices_per_node, c.ranks_per_node});
  if (c.measured) request.machine.types[0].measurements.push_back({0, 1, "copy", 1e9, 1e-6});
  request.policy = routing::Policy::parse(c.transports);
  request.tuning = c.tuning;
  const Plan plan = make_plan(request);
  const auto routes = assumed_routes(plan, request.policy, true);
  Listed found;
  found.all = candidates_of({&request, &plan, routes, routing::Messages::by_neighbour, c.gpus, c.may_cut});
  for (const Candidate& candidate : found.all.list) found.tried.push_back(io::text_of(candidate.settings));
  return found;
}

TEST(TuningCandidates, EachTransportThatIsNotTheDefaultComesFirstOnce) {
  const Listed found = listed({});
  EXPECT_EQ(found.why("first-transport=direct"), "it is the default's");
  EXPECT_EQ(found.why("first-transport=peer_copy"), "no rank has two devices that are neighbours");
  EXPECT_THAT(found.tried, Contains("first-transport=ipc_copy"));
  EXPECT_THAT(found.tried, Contains("first-transport=mpi_staged"));
}

/// Messages within nodes go by direct, between them by mpi_device; more by direct there cannot be.
TEST(TuningCandidates, AnOrderThatIsTheDefaultsIsNotTriedAgain) {
  const Listed found = listed({.nodes = 2});
  EXPECT_EQ(found.why("first-transport=direct"), "it is first already");
}

TEST(TuningCandidates, OneRankHasNoCopiesBetweenProcesses) {
  const Listed found = listed({.ranks_per_node = 1});
  EXPECT_EQ(found.why("first-transport=ipc_copy"), "no two ranks of a node or a rack are neighbours");
  EXPECT_THAT(found.tried, Contains("first-transport=peer_copy"));
}

TEST(TuningCandidates, WhatTheOptionsForbidIsNotTried) {
  const Listed found = listed({.transports = "direct,mpi_staged"});
  EXPECT_EQ(found.why("first-transport=ipc_copy"), "the options forbid it");
  EXPECT_THAT(found.tried, Not(Contains(HasSubstr("ipc_copy"))));
}

TEST(TuningCandidates, BundlesNeedStagedMessagesAndNodes) {
  const Listed one = listed({});
  EXPECT_EQ(one.why("messages=by_rank"), "no message goes by mpi_staged");
  EXPECT_EQ(one.why("messages=by_node"), "there is one node");
  EXPECT_EQ(one.why("messages=by_direction"), "self and direct keep one message for each neighbour");
  const Listed two = listed({.nodes = 2, .transports = "direct,mpi_staged"});
  EXPECT_THAT(two.tried, Contains("messages=by_rank"));
  EXPECT_THAT(two.tried, Contains("messages=by_node"));
  EXPECT_THAT(two.tried, Contains("messages=by_direction"));
  EXPECT_EQ(listed({.nodes = 2, .transports = "direct,mpi_staged", .gpus = true}).why("messages=by_node"),
            "it is for host devices");
}

TEST(TuningCandidates, BundlesAreTriedWithStagedMessagesThatAreNotTheDefault) {
  EXPECT_THAT(listed({.nodes = 2}).tried, Contains("first-transport=mpi_staged messages=by_node"));
}

TEST(TuningCandidates, OtherGridsAreTriedUnlessTheGridIsGiven) {
  const Listed found = listed({.devices_per_node = 8, .ranks_per_node = 8});
  const auto grids = [](const Listed& all) {
    return std::ranges::count_if(all.tried, [](const auto& text) { return text.starts_with("device-grid="); });
  };
  EXPECT_EQ(grids(found), 9);
  EXPECT_EQ(grids(listed({.nodes = 2, .devices_per_node = 8, .ranks_per_node = 8})), 12);  // of 29
  EXPECT_THAT(found.tried, Not(Contains("device-grid=2,2,2")));                            // the default's
  EXPECT_EQ(listed({.may_cut = false}).why("partition"), "the options give the grid, cuts, weights or owners");
}

TEST(TuningCandidates, TheModelsRankingIsTheOrder) {
  const Listed found = listed({.nodes = 2, .transports = "direct,mpi_staged"});
  ASSERT_TRUE(found.all.predicted.has_value());
  double before = 0;
  for (const Candidate& candidate : found.all.list) {
    ASSERT_TRUE(candidate.predicted.has_value());
    EXPECT_GE(*candidate.predicted, before);
    before = *candidate.predicted;
  }
}

TEST(TuningCandidates, SizesAreOfTransportsInUse) {
  EXPECT_THAT(listed({}).tried, Contains("pack-short-rows-from-bytes=0"));
  EXPECT_EQ(listed({.transports = "mpi_staged"}).why("pack-short-rows-from-bytes"), "no message goes by direct");
  EXPECT_EQ(listed({.transports = "mpi_staged"}).why("staging-chunk-bytes"), "no message is longer than 1 MiB");
  EXPECT_EQ(listed({}).why("multiprocessors"), "host devices have none");
  EXPECT_THAT(listed({.gpus = true}).tried, Contains("packets-at-most-bytes=0"));
}

/// Routes by measured rates do not follow the order alone.
TEST(TuningCandidates, AnOrderIsTriedWhereMeasurementsChose) {
  EXPECT_THAT(listed({.nodes = 2, .measured = true}).tried, Contains("first-transport=direct"));
}

TEST(TuningCandidates, OneSubdomainHasNothingToTry) {
  const Listed found = listed({.devices_per_node = 1, .ranks_per_node = 1});
  EXPECT_THAT(found.tried, testing::IsEmpty());
  EXPECT_EQ(found.why("first-transport=direct"), "there is one subdomain");
  EXPECT_EQ(found.why("first-transport=peer_copy"), "no rank has two devices that are neighbours");
  EXPECT_EQ(found.why("pack-short-rows-from-bytes"), "no message goes by direct");
}

TEST(TuningCandidates, PackingIsTurnedOffWhereTheDefaultPacks) {
  const std::string never = "pack-short-rows-from-bytes=9223372036854775807";
  const Listed packs_all = listed({.tuning = {.pack_short_rows_from_bytes = 0}});
  EXPECT_THAT(packs_all.tried, Contains(never));
  EXPECT_THAT(packs_all.tried, Not(Contains("pack-short-rows-from-bytes=0"))) << "it is the default's";
  EXPECT_THAT(listed({}).tried, Not(Contains(never))) << "no message is so long that it is packed";
}

TEST(TuningCandidates, ChunksAreTriedForMessagesThatAreLonger) {
  const Listed found = listed({.transports = "mpi_staged", .extent = {1024, 1024, 64}});
  EXPECT_THAT(found.tried, Contains("staging-chunk-bytes=1048576"));
  EXPECT_THAT(found.tried, Contains("staging-chunk-bytes=16777216"));
  EXPECT_EQ(found.why("zero-copy-at-most-bytes"), "host devices have no copy engines");
  const Listed now =
      listed({.transports = "mpi_staged", .extent = {1024, 1024, 64}, .tuning = {.staging_chunk_bytes = 1 << 20}});
  EXPECT_THAT(now.tried, Not(Contains("staging-chunk-bytes=1048576"))) << "it is the default's";
}

TEST(TuningCandidates, GpusAreAskedForTheirWaysToCopy) {
  const Listed found = listed({.transports = "mpi_staged", .gpus = true});
  EXPECT_THAT(found.tried, Contains("zero-copy-at-most-bytes=0"));
  EXPECT_THAT(found.tried, Contains("zero-copy-at-most-bytes=1048576"));
  EXPECT_EQ(found.why("multiprocessors"), "exchanges alone occupy as many as help");
  EXPECT_THAT(listed({.gpus = true, .tuning = {.packets_at_most_bytes = 0}}).tried,
              Not(Contains(HasSubstr("packets-at-most-bytes"))))
      << "they are off already";
}

TEST(TuningCandidates, GridsBeyondTheTwelveFastestAreNamed) {
  const Listed found = listed({.nodes = 2, .devices_per_node = 8, .ranks_per_node = 8});
  const auto left = std::ranges::count(found.all.skipped, "the model has 12 faster grids", &io::TunedSkip::why);
  EXPECT_EQ(left, 29 - 12);
}

TEST(TuningCandidates, MachinesOfManyDevicesAreNeitherSimulatedNorCut) {
  const Listed found = listed({.nodes = 65});
  EXPECT_FALSE(found.all.predicted.has_value());
  EXPECT_THAT(found.why("predictions"), HasSubstr("260 devices"));
  EXPECT_EQ(found.why("partition"), "more than 256 devices");
}

}  // namespace
}  // namespace halocline::tune
