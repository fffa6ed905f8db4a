// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "halocline/error.hpp"
#include "routing/choose.hpp"

namespace halocline::routing {
namespace {

using testing::HasSubstr;
using testing::Not;
using enum Transport;

const subdomain_id a(0);
const subdomain_id b(1);

/// Two processes of one node; all capabilities are present.
PairFacts neighbours() {
  PairFacts facts;
  facts.same_node = true;
  facts.mapped = facts.exportable = facts.device_mpi = facts.direct_safe = Verdict::of(true);
  facts.peer_access = Verdict::of(false, "another process");
  facts.mpi = true;
  return facts;
}

std::string refusal(const PairFacts& facts, const Policy& policy) {
  try {
    const Route route = choose(a, b, facts, policy);
    return "not refused: " + route.reason;
  } catch (const CapabilityError& error) {
    return error.what();
  }
}

TEST(Reason, SaysWhyAndWhatWasPassedOver) {
  EXPECT_EQ(choose(a, b, neighbours(), {}).reason, "direct: same node, other process, mapping yes");
  EXPECT_EQ(choose(a, b, neighbours(), Policy::parse("-direct")).reason,
            "ipc_copy: same node, other process, mapping yes; direct not allowed by policy; "
            "peer_copy not possible (two processes)");
  PairFacts facts = neighbours();
  facts.direct_safe = Verdict::of(false, "ranks share a GPU");
  EXPECT_EQ(choose(a, b, facts, Policy::parse("direct,mpi_staged")).reason,
            "mpi_staged: same node, other process, through host memory; direct not possible (not safe: ranks share a "
            "GPU); peer_copy not allowed by policy; ipc_copy not allowed by policy; mpi_device not allowed by policy");
  facts.same_subdomain = true;
  EXPECT_EQ(choose(a, a, facts, {}).reason, "self: same subdomain");
}

TEST(Reason, PeerCopySaysWhetherTheDriverStages) {
  PairFacts facts = neighbours();
  facts.same_rank = true;
  facts.peer_access = Verdict::of(false, "different PCIe roots");
  facts.mapped = Verdict::of(false);
  EXPECT_THAT(choose(a, b, facts, {}).reason,
              HasSubstr("peer_copy: same process, peer access no (different PCIe roots), the driver stages"));
  facts.peer_access = Verdict::of(true);
  EXPECT_EQ(choose(a, b, facts, Policy::parse("peer_copy")).reason,
            "peer_copy: same process, peer access yes; direct not allowed by policy");
}

TEST(Reason, NamesTheCostOfACopyBetweenProcessesThatShareADevice) {
  PairFacts facts = neighbours();
  facts.same_device = true;
  EXPECT_EQ(
      choose(a, b, facts, {}).reason,
      "ipc_copy: same node, other process, mapping yes (two processes share the device, which runs one at a time: "
      "-ipc_copy may be faster); direct not possible (two processes share the device); peer_copy not possible "
      "(two processes)");
}

TEST(Reason, SaysWhyAnArrayIsFilledThroughAReceiveBuffer) {
  PairFacts facts = neighbours();
  facts.same_rank = true;
  facts.peer_access = Verdict::of(true);
  facts.storable = Verdict::of(false, "field 'u' is in device memory of a pool");
  EXPECT_EQ(choose(a, b, facts, {}).reason,
            "direct: same process, peer access yes; through a receive buffer: other devices do not store to the "
            "receiver's arrays: field 'u' is in device memory of a pool");
  EXPECT_FALSE(choose(a, b, facts, {}).in_place);
  facts.same_device = true;
  EXPECT_TRUE(choose(a, b, facts, {}).in_place) << "the device itself does";
  facts = neighbours();
  EXPECT_TRUE(choose(a, b, facts, {}).in_place);
  facts.exportable = Verdict::of(false, "field 'u' is the user's own array");
  const Route route = choose(a, b, facts, {});
  EXPECT_EQ(route.transport, direct);
  EXPECT_FALSE(route.in_place);
  EXPECT_THAT(route.reason,
              HasSubstr("; through a receive buffer: the receiver's arrays cannot be exported: field 'u'"));
}

TEST(Error, NamesEveryTransportAndWhyNot) {
  PairFacts facts;
  facts.device_mpi = Verdict::of(false, "MPI was built without CUDA");
  facts.direct_safe = Verdict::of(true);
  facts.mapped = Verdict::of(false, "IPC refused in this container");
  EXPECT_EQ(refusal(facts, Policy::parse("-mpi_device")),
            "no transport for subdomains 0 -> 1: self: two subdomains; direct: no mapping: IPC refused in this "
            "container; "
            "peer_copy: two nodes; ipc_copy: two nodes; mpi_device: no message passing between the ranks, and "
            "not allowed "
            "by policy; mpi_staged: no message passing between the ranks; net: no message passing between the ranks, "
            "and not allowed by policy; nccl: no communicator, and not allowed by policy");
  facts.mpi = true;
  EXPECT_THAT(refusal(facts, Policy::parse("direct,mpi_device")),
              HasSubstr("mpi_device: MPI does not take device pointers: MPI was built without CUDA; "
                        "mpi_staged: not allowed by policy"));
}

TEST(Measured, AQuarterFasterTakesThePlaceOfWhatComesBefore) {
  PairFacts facts = neighbours();
  const Policy policy = Policy::parse("ipc_copy,mpi_device,mpi_staged");
  facts.measured = {{mpi_staged, 12.5e9}, {ipc_copy, 8e9}, {mpi_device, 10e9}};
  const Route route = choose(a, b, facts, policy);
  EXPECT_EQ(route.transport, mpi_staged) << "faster by a quarter than one that is faster by a quarter";
  EXPECT_THAT(route.reason, HasSubstr("measured, two-way: ipc_copy 8 GB/s, mpi_device 10 GB/s, mpi_staged 12.5 GB/s"));
  facts.measured[0].second = 12.4e9;
  EXPECT_EQ(choose(a, b, facts, policy).transport, mpi_device);
  facts.measured[1].second = 8.1e9;
  EXPECT_EQ(choose(a, b, facts, policy).transport, mpi_staged) << "faster by a quarter than the first";
  facts.measured[1].second = 10e9;
  EXPECT_EQ(choose(a, b, facts, policy).transport, ipc_copy) << "less is no reason to leave the order";
  EXPECT_THAT(choose(a, b, facts, policy).reason, HasSubstr("measured, two-way"));
}

TEST(Measured, WhatHasNoRateIsNotCompared) {
  PairFacts facts = neighbours();
  facts.measured = {{mpi_staged, 11e9}, {ipc_copy, 1e9}, {mpi_device, 10e9}};
  EXPECT_EQ(choose(a, b, facts, {}).transport, direct) << "direct is possible and not measured";
  EXPECT_THAT(choose(a, b, facts, {}).reason, Not(HasSubstr("measured")));
  const Policy policy = Policy::parse("ipc_copy,mpi_device,mpi_staged");
  for (const double rate :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    facts.measured[2].second = rate;
    EXPECT_EQ(choose(a, b, facts, policy).transport, mpi_staged) << rate << " is no rate";
    PairFacts first = facts;
    first.measured[1].second = rate;
    EXPECT_EQ(choose(a, b, first, policy).transport, ipc_copy) << rate << " is no rate";
  }
}

TEST(Measured, WhatIsImpossibleOrForbiddenDoesNotCountHoweverFast) {
  PairFacts facts = neighbours();
  facts.device_mpi = Verdict::of(false);
  facts.measured = {{mpi_device, 99e9}, {direct, 98e9}, {ipc_copy, 1e9}, {mpi_staged, 2e9}};
  EXPECT_EQ(choose(a, b, facts, Policy::parse("-direct")).transport, mpi_staged);
}

TEST(Measured, CanBeIgnored) {
  PairFacts facts = neighbours();
  facts.measured = {{direct, 1e9}, {ipc_copy, 2e9}, {mpi_device, 3e9}, {mpi_staged, 4e9}};
  Policy policy;
  EXPECT_EQ(choose(a, b, facts, policy).transport, mpi_staged);
  policy.use_measurements = false;
  EXPECT_EQ(choose(a, b, facts, policy).transport, direct);
}

TEST(Exception, IsTakenForItsPairBeforeOrderAndRates) {
  PairFacts facts = neighbours();
  facts.measured = {{direct, 4e9}, {ipc_copy, 3e9}, {mpi_device, 2e9}, {mpi_staged, 1e9}};
  Policy policy = Policy::parse("direct");
  policy.exceptions = {{a, b, mpi_staged}};
  EXPECT_EQ(choose(a, b, facts, policy).transport, mpi_staged);
  EXPECT_THAT(choose(a, b, facts, policy).reason, HasSubstr("by exception for this pair"));
  EXPECT_EQ(choose(b, a, facts, policy).transport, mpi_staged) << "both directions";
  EXPECT_EQ(choose(a, subdomain_id(2), facts, policy).transport, direct) << "only this pair";
  policy.exceptions.push_back({b, a, ipc_copy});
  EXPECT_EQ(choose(b, a, facts, policy).transport, ipc_copy) << "a direction's own exception comes first";
  EXPECT_EQ(choose(a, b, facts, policy).transport, mpi_staged);
}

TEST(Exception, ThatIsNotPossibleIsAnErrorInItsDirectionOnly) {
  PairFacts facts = neighbours();
  Policy policy;
  policy.exceptions = {{a, b, peer_copy}};
  EXPECT_THAT(refusal(facts, policy), HasSubstr("0 -> 1 are to use peer_copy by exception, but that is not possible: "
                                                "two processes"));
  EXPECT_EQ(choose(b, a, facts, policy).transport, direct);
}

}  // namespace
}  // namespace halocline::routing
