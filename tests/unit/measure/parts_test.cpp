// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "comm/local_ranks.hpp"
#include "device/backend.hpp"
#include "device/host.hpp"
#include "halocline/error.hpp"
#include "halocline/session.hpp"
#include "measure/detail/combine.hpp"
#include "measure/detail/gate.hpp"
#include "measure/detail/numa_memory.hpp"
#include "measure/detail/pair_method.hpp"
#include "measure/detail/session.hpp"
#include "measure/detail/stages.hpp"
#include "support/error_of.hpp"
#include "support/forwarding_backend.hpp"

namespace halocline::machine::measuring {
namespace {

using testing::HasSubstr;

Measurement of(int from, int to, const char* method, double bandwidth, double latency) {
  return {.from = from, .to = to, .method = method, .bandwidth = bandwidth, .latency = latency};
}

TEST(MeasureCombine, FindingsTravelAsBytes) {
  Findings findings;
  findings.measurements = {of(0, Measurement::host, "pinned", 1e9, 1e-6), of(1, 2, "copy", 3e9, 2e-6)};
  findings.measurements[0].numa = 4;
  findings.measurements[0].traffic = Traffic::all_pairs;
  findings.measurements[0].bytes = 1 << 20;
  findings.left_out = {{"put", "no access", 3}};
  const Findings back = from_bytes<Findings>(to_bytes(findings));
  EXPECT_EQ(back.measurements, findings.measurements);
  EXPECT_EQ(back.left_out, findings.left_out);
}

TEST(MeasureCombine, SameReasonsAddUp) {
  const std::vector<Findings> parts{{{}, {{"put", "a", 1}, {"put", "b", 1}}}, {{}, {{"put", "a", 2}, {"get", "a", 1}}}};
  EXPECT_EQ(joined(parts).left_out, (std::vector<LeftOut>{{"put", "a", 3}, {"put", "b", 1}, {"get", "a", 1}}));
}

TEST(MeasureCombine, MediansOfNodesEntryByEntryInTheOrderOfMethods) {
  const std::vector<Findings> nodes{{{of(1, 0, "put", 10, 1), of(0, 1, "copy", 10, 1)}, {}},
                                    {{of(0, 1, "copy", 30, 3)}, {}},
                                    {{of(0, 1, "copy", 20, 9), of(0, 1, "another", 1, 1)}, {}}};
  EXPECT_EQ(medians(nodes),
            (std::vector<Measurement>{of(0, 1, "copy", 20, 3), of(1, 0, "put", 10, 1), of(0, 1, "another", 1, 1)}));
}

TEST(MeasureNuma, MemoryIsOnTheNodeOrTheReasonIsTold) {
  const auto backend = device::make_host_backend({});
  const auto memory = pinned_memory(*backend, 1 << 16, 0);
  ASSERT_NE(memory->data(), nullptr);
  EXPECT_EQ(memory->data()[(1 << 16) - 1], std::byte{0});
  EXPECT_NE(pinned_memory(*backend, 100, -1)->data(), nullptr);
  try {
    static_cast<void>(pinned_memory(*backend, 4096, 4095));
    ADD_FAILURE() << "memory of a NUMA node that is not there";
  } catch (const CapabilityError& error) {
    EXPECT_THAT(error.what(), HasSubstr("NUMA node 4095 has no known cores"));
  }
}

TEST(MeasureGate, HoldsStreamsOfAllRanksUntilItIsOpen) {
  std::atomic<int> before{0};
  std::atomic<bool> opened{false};
  comm::run_as_threads(3, [&](comm::RankGroup& comm) {
    device::HostOptions options;
    options.workers = 1;
    const auto backend = device::make_host_backend(options);
    Gate gate(comm, *backend);
    ASSERT_TRUE(gate.holds());
    const auto stream = backend->create_stream(0);
    for (int round = 0; round < 20; ++round) {
      gate.shut(Gate::Scope::node);
      gate.wait(*stream, Gate::Scope::node);
      stream->host_function([&] { before += opened ? 0 : 1; });
      comm.barrier();
      if (round == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      opened = true;
      gate.open(Gate::Scope::node);
      stream->synchronize();
      comm.barrier();
      if (comm.rank() == rank_id(0)) opened = false;
      comm.barrier();

      // The ranks' own parts, which may take any number of steps in between.
      for (int own = 0; own <= comm.rank().value(); ++own) {
        bool is_open = false;
        gate.shut(Gate::Scope::rank);
        gate.wait(*stream, Gate::Scope::rank);
        stream->host_function([&] { before += is_open ? 0 : 1; });
        is_open = true;
        gate.open(Gate::Scope::rank);
        stream->synchronize();
      }
    }
  });
  EXPECT_EQ(before, 0);
}

TEST(MeasureSession, TimesManyJobsTogether) {
  const auto comm = comm::serial();
  device::HostOptions options;
  options.devices = 2;
  const auto backend = device::make_host_backend(options);
  MeasureRequest request;
  request.bytes = 4096;
  request.repeats = 3;
  Session session(*comm, *backend, {{0, 0}, {0, 1}}, request);
  std::vector<std::unique_ptr<Lane>> lanes;
  std::vector<Session::Job> jobs;
  std::array<std::size_t, 2> moved{0, 0};
  for (int d = 0; d < 2; ++d) {
    lanes.push_back(std::make_unique<Lane>(*backend, d));
    jobs.push_back({lanes.back().get(),
                    [&moved, d](device::Stream& stream, std::size_t bytes) {
                      stream.host_function([&moved, d, bytes] { moved[static_cast<std::size_t>(d)] += bytes; });
                    },
                    {}});
  }
  session.time(jobs, Gate::Scope::node, 4096);
  for (const Session::Job& job : jobs) {
    EXPECT_EQ(job.times.large.size(), 3u) << "the first is not counted";
    EXPECT_EQ(job.times.small.size(), 3u);
  }
  const std::size_t each = (1 + 4) * 4096 + (1 + 4 * small_row) * small_bytes;  // one warm-up, then the rounds
  EXPECT_EQ(moved, (std::array{each, each}));

  session.found({.from = 0, .to = 1, .method = "copy", .bytes = 1000}, {{3.0, 1.0, 2.0}, {0.123456, 0.123456}});
  session.found({.from = 0, .to = 0, .method = "copy", .bytes = 1000}, {{2.0}, {1.0}});
  session.found({.from = 0, .to = 1, .method = "flag"}, {{}, {1e-6}});
  session.found({.from = 1, .to = 0, .method = "copy", .bytes = 1000}, {{0.0}, {0.0}});
  ASSERT_EQ(session.measurements().size(), 3u);
  EXPECT_EQ(session.measurements()[0].bandwidth, 500);
  EXPECT_EQ(session.measurements()[0].latency, 0.1235) << "four digits";
  EXPECT_EQ(session.measurements()[1].bandwidth, 1000) << "read and written";
  EXPECT_EQ(session.measurements()[2].bandwidth, 8e6) << "of messages of 8 bytes";
  EXPECT_EQ(session.measurements()[2].bytes, 8);
  ASSERT_EQ(session.left_out().size(), 1u);
  EXPECT_EQ(session.left_out()[0].reason, "the clock did not advance");
  session.close();
}

MeasureRequest of_4096_bytes() {
  MeasureRequest request;
  request.bytes = 4096;
  request.repeats = 1;
  return request;
}

/// Where no memory can be had on any NUMA node of the map, it is taken from anywhere, and the node is not told.
TEST(MeasureHost, MemoryOfANodeThatCannotBeHadIsLeftOutAndAnyIsTaken) {
  const auto comm = comm::serial();
  device::HostOptions options;
  options.devices = 2;
  const auto backend = device::make_host_backend(options);
  Session session(*comm, *backend, {{0, 0}, {0, 1}}, of_4096_bytes());
  measure_host(session, {{7, 4095}});
  std::map<std::string, int> left_out;
  for (const LeftOut& one : session.left_out()) {
    ++left_out[one.method];
    if (one.method == "pinned" || one.method == "mapped") {
      EXPECT_EQ(one.reason, "NUMA node 4095 has no known cores");
    }
  }
  EXPECT_EQ(left_out["pinned"], 2) << "once for each device";
  EXPECT_EQ(left_out["mapped"], 2);
  int pinned = 0;
  for (const Measurement& one : session.measurements()) {
    EXPECT_EQ(one.numa, -1) << one.method;
    pinned += one.method == "pinned" ? 1 : 0;
  }
  EXPECT_EQ(pinned, 2 * 4 + 4) << "each device both ways, alone and together; all devices at once";
  session.close();
}

TEST(MeasureHost, AMapWithoutNumaNodesIsMeasuredFromAnyMemory) {
  const auto comm = comm::serial();
  const auto backend = device::make_host_backend({});
  Session session(*comm, *backend, {{0, 0}}, of_4096_bytes());
  measure_host(session, {});
  ASSERT_FALSE(session.measurements().empty());
  for (const Measurement& one : session.measurements()) {
    EXPECT_EQ(one.numa, -1) << one.method;
    EXPECT_NE(one.traffic, Traffic::all_pairs) << "one device";
  }
  session.close();
}

TEST(MeasureSession, AsksForNoMemoryOnBehalfOfAnotherRank) {
  const auto comm = comm::serial();
  const auto backend = device::make_host_backend({});
  Session session(*comm, *backend, {{0, 0}, {-1, 0}}, of_4096_bytes());
  EXPECT_EQ(session.source(0, 1).why_not, "no rank drives the device");
  EXPECT_EQ(test::error_of<InternalError>([&] { return session.source(1, 0).why_not; }),
            "memory was asked for on behalf of another rank's device");
  session.close();
}

/// A CUDA device whose driver allows no peer access: there is none to switch off.
TEST(MeasureWithoutPeer, IsLeftOutWhereThereIsNoPeerAccess) {
  const auto comm = comm::serial();
  device::HostOptions options;
  options.devices = 2;
  options.peer_access = [](int, int) { return false; };
  test::ForwardingBackend backend(device::make_host_backend(options), {.kind = DeviceKind::cuda});
  Session session(*comm, backend, {{0, 0}, {0, 1}}, of_4096_bytes());
  measure_without_peer(session);
  ASSERT_EQ(session.left_out().size(), 2u) << "both directions";
  EXPECT_EQ(session.left_out()[0].method, "copy_no_peer");
  EXPECT_EQ(session.left_out()[0].reason,
            "there is no peer access to switch off; see copy: the peer-access option says no from host device 0 to 1");
  EXPECT_TRUE(session.measurements().empty());
  session.close();
}

TEST(MeasurePairs, AMethodWithoutANameIsAnError) {
  EXPECT_EQ(test::error_of<InternalError>([] { return to_string(static_cast<PairMethod>(99)); }),
            "a PairMethod without a name");
}

}  // namespace
}  // namespace halocline::machine::measuring
