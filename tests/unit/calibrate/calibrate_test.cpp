// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/calibrate.hpp"
#include "calibrate/messages.hpp"
#include "comm/local_ranks.hpp"
#include "plan/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>

#include "device/host.hpp"
#include "discovery/discover.hpp"
#include "halocline/halocline.hpp"
#include "model/experiments.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using machine::ExchangeRate;
using machine::MachineMap;
using testing::HasSubstr;

constexpr CalibrateRequest quick{.bytes = 16 * 1024, .repeats = 2};

struct Job {
  int ranks = 1;
  int devices = 1;  ///< of each rank
  std::optional<int> ranks_per_node{};
};

/// Holds up every copy.
class SlowCopies final : public device::Injector {
 public:
  explicit SlowCopies(Duration delay) : delay_(delay) {}
  device::Injection before(device::Operation operation, int) override {
    const bool copies = operation == device::Operation::copy || operation == device::Operation::copy_list;
    return {.delay = copies ? delay_ : Duration::zero(), .failure = std::nullopt};
  }

 private:
  Duration delay_;
};

std::vector<MachineMap> calibrate_all(const Job& job, const CalibrateRequest& request = quick) {
  std::vector<MachineMap> maps(static_cast<std::size_t>(job.ranks));
  comm::run_as_threads(job.ranks, [&](comm::RankGroup& comm) {
    const auto node = comm.split_by_node(job.ranks_per_node);
    const auto backend = make_devices(comm, {.kind = halocline::DeviceKind::host, .per_rank = job.devices}).backend();
    const MachineMap map = machine::discover(comm, *node, *backend);
    maps[comm.rank().index()] = calibrate(comm, *node, backend, map, request);
    node->close();
  });
  return maps;
}

bool same_kind(const ExchangeRate& a, const ExchangeRate& b) {
  return a.path == b.path && a.rows == b.rows && a.concurrent == b.concurrent && a.word_bytes == b.word_bytes;
}

std::string sources_of(const MachineMap& map) {
  std::string all;
  for (const std::string& source : map.sources) all += source + "\n";
  return all;
}

/// Expects that the sources give a reason for each rate that the map does not have.
void expect_all_kinds(const MachineMap& map, int devices) {
  const std::vector<ExchangeRate>& rates = map.types.at(0).exchange_rates;
  for (const ExchangeRate& kind : model::kinds_to_measure(devices)) {
    const auto found =
        std::find_if(rates.begin(), rates.end(), [&](const ExchangeRate& rate) { return same_kind(rate, kind); });
    if (found == rates.end()) {
      EXPECT_TRUE(kind.concurrent) << model::kind_text(kind);
      EXPECT_THAT(sources_of(map), HasSubstr(model::kind_text(kind) + ": the cells of the other path"));
      continue;
    }
    EXPECT_GE(found->latency, 0) << model::kind_text(kind);
    EXPECT_GT(found->bandwidth, 0) << model::kind_text(kind);
    EXPECT_GT(found->least, 0) << model::kind_text(kind);
  }
}

/// Bytes of this kind that a device moves in the larger experiment.
double bytes_of(const ExchangeRate& kind, std::int64_t large, int devices) {
  const model::Experiment made = model::experiment(kind, {large, large}, devices);
  const model::Load load = model::load_of(made.geometry(), subdomain_id(0), made.tuning);
  double bytes = 0;
  for (const auto& [key, count] : kind.path == machine::HaloPath::local ? load.local : load.out) {
    if (key.first == kind.rows) bytes += static_cast<double>(count);
  }
  return bytes;
}

/// The fitted time of the larger experiment.
double large_seconds(const ExchangeRate& rate, std::int64_t large, int devices) {
  return rate.latency + bytes_of(rate, large, devices) / rate.bandwidth;
}

// No experiment is faster than its delayed copy, and each larger experiment ran at least five times: five times their
// sum is at most the elapsed time.
TEST(Calibrate, times_are_those_of_exchanges) {
  constexpr Duration delay = std::chrono::milliseconds(2);
  comm::run_as_threads(1, [&](comm::RankGroup& comm) {
    const auto node = comm.split_by_node({});
    const auto backend = device::make_host_backend(
        {.devices = 2, .injector = std::make_shared<SlowCopies>(delay), .peer_access = {}, .mapping = {}});
    const auto begin = std::chrono::steady_clock::now();
    const MachineMap map =
        calibrate(comm, *node, backend, machine::discover(comm, *node, *backend), {.bytes = quick.bytes, .repeats = 1});
    const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ASSERT_FALSE(map.types.at(0).exchange_rates.empty());
    double all = 0;
    for (const ExchangeRate& rate : map.types.at(0).exchange_rates) {
      const double large = large_seconds(rate, quick.bytes, 2);
      EXPECT_GE(rate.least, 0.002) << model::kind_text(rate);
      EXPECT_GE(large, 0.00199) << model::kind_text(rate);  // rates are rounded to four digits
      all += large;
    }
    EXPECT_LT(5 * all, passed);
    node->close();
  });
}

TEST(Calibrate, one_process_with_several_devices) {
  const MachineMap map = calibrate_all({.devices = 3}).front();
  expect_all_kinds(map, 3);
  EXPECT_TRUE(model::Predictor(map).why_not().empty());
  EXPECT_THAT(sources_of(map), HasSubstr("exchange rates of type 0"));
}

TEST(Calibrate, one_device_has_no_links) {
  const MachineMap map = calibrate_all({}).front();
  expect_all_kinds(map, 1);
  EXPECT_EQ(map.types[0].exchange_rates.size(), 4u);
  EXPECT_THAT(sources_of(map), HasSubstr("exchange rates not measured, 1 times: links: the ranks drive one device"));
  EXPECT_TRUE(model::Predictor(map).why_not().empty());
}

TEST(Calibrate, ranks_of_several_nodes_get_the_same_map) {
  const std::vector<MachineMap> maps = calibrate_all({.ranks = 4, .devices = 1, .ranks_per_node = 2});
  ASSERT_EQ(maps[0].nodes.size(), 2u);
  ASSERT_EQ(maps[0].types.size(), 1u);
  expect_all_kinds(maps[0], 2);
  for (const MachineMap& map : maps) EXPECT_EQ(map, maps[0]);
  EXPECT_THAT(sources_of(maps[0]), HasSubstr("medians of 2 on 2 nodes"));
}

TEST(Calibrate, messages_between_nodes_get_the_same_costs_on_all_ranks) {
  for (const int ranks_per_node : {2, 4}) {
    std::vector<MachineMap> maps(4);
    comm::run_as_threads(4, [&](comm::RankGroup& comm) {
      const auto node = comm.split_by_node(ranks_per_node);
      const auto backend = make_devices(comm, {.kind = halocline::DeviceKind::host, .per_rank = 1}).backend();
      const MachineMap map = machine::discover(comm, *node, *backend);
      maps[comm.rank().index()] = calibrate_messages(comm, backend, map, {.repeats = 1});
      node->close();
    });
    for (const MachineMap& map : maps) EXPECT_EQ(map, maps[0]);
    const machine::Software& software = maps[0].software;
    // What ranks as threads cost on a busy machine may be no cost of a message.
    if (ranks_per_node == 2 && sources_of(maps[0]).find("costs of messages left out") != std::string::npos) continue;
    if (ranks_per_node == 4) {
      EXPECT_EQ(software, machine::Software{}) << "one node";
      continue;
    }
    EXPECT_GT(software.mpi_overhead, 0);
    EXPECT_GT(software.device_launch, 0);
    EXPECT_GT(software.mpi_latency, 0);
    EXPECT_GT(software.mpi_injection, 0);
    EXPECT_THAT(sources_of(maps[0]), HasSubstr("fitted to 5 exchanges between 2 nodes, of 16^3 and 48^3 cells"));
  }
}

TEST(Calibrate, messages_are_not_timed_when_the_time_is_over) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    const auto node = comm.split_by_node(1);
    const auto backend = make_devices(comm, {.kind = halocline::DeviceKind::host, .per_rank = 1}).backend();
    const MachineMap map = machine::discover(comm, *node, *backend);
    const MachineMap found = calibrate_messages(comm, backend, map, {.seconds = 1e-9});
    EXPECT_EQ(found.software, map.software);
    EXPECT_THAT(sources_of(found), HasSubstr("costs of messages not measured: 1e-09 seconds were over"));
    node->close();
  });
}

TEST(Calibrate, begins_nothing_when_the_time_is_over) {
  CalibrateRequest request = quick;
  request.seconds = 1e-9;
  const MachineMap map = calibrate_all({.devices = 2}, request).front();
  EXPECT_TRUE(map.types[0].exchange_rates.empty());
  EXPECT_THAT(sources_of(map), HasSubstr("exchange rates not measured, 22 times: 1e-09 seconds were over"));
}

TEST(Calibrate, a_plan_is_made_with_what_it_found) {
  PlanRequest request;
  request.extent = {48, 48, 48};
  request.stencil = Stencil::box(2);
  request.fields.emplace_back();
  request.fields.back().name = "u";
  request.partition = partition::Method::fastest;
  request.machine = calibrate_all({.devices = 4}).front();
  EXPECT_THAT(make_plan(request).partition_reason, HasSubstr("predicted"));
}

TEST(Calibrate, refuses_what_is_no_request) {
  const auto refusal = [](const CalibrateRequest& request) -> std::string {
    return test::error_of<InvalidArgument>([&] { static_cast<void>(calibrate_all({}, request)); });
  };
  EXPECT_THAT(refusal({.bytes = 1000}), HasSubstr("bytes is 1000; allowed is 0, or 1024 or more"));
  EXPECT_THAT(refusal({.repeats = 0}), HasSubstr("repeats is 0; allowed is 1 or more"));
  EXPECT_THAT(refusal({.seconds = 0}), HasSubstr("seconds is 0; allowed is a finite number above 0"));
  EXPECT_THAT(refusal({.seconds = std::numeric_limits<double>::quiet_NaN()}),
              HasSubstr("seconds is nan; allowed is a finite number above 0"));
}

TEST(Calibrate, refuses_a_map_of_other_ranks) {
  comm::run_as_threads(1, [](comm::RankGroup& comm) {
    const auto node = comm.split_by_node({});
    const auto backend = device::make_host_backend({});
    MachineMap map = machine::discover(comm, *node, *backend);
    map.ranks.push_back(map.ranks[0]);
    EXPECT_EQ(test::error_of<InvalidArgument>([&] { return calibrate(comm, *node, backend, map, quick); }),
              "rank 0: the map has 2 ranks; allowed is a map of the 1 ranks that measure it");
    node->close();
  });
}

class FailingCopies final : public device::Injector {
 public:
  device::Injection before(device::Operation operation, int) override {
    if (operation != device::Operation::copy && operation != device::Operation::copy_list) return {};
    return {.delay = Duration::zero(), .failure = "the link is down"};
  }
};

/// The first copy fails.
class FailingOnce final : public device::Injector {
 public:
  device::Injection before(device::Operation operation, int) override {
    if (operation != device::Operation::copy && operation != device::Operation::copy_list) return {};
    if (failed_.exchange(true)) return {};
    return {.delay = Duration::zero(), .failure = "the link is down"};
  }

 private:
  std::atomic<bool> failed_{false};
};

TEST(Calibrate, a_failed_exchange_gives_no_rate_and_other_rates_their_least_times) {
  comm::run_as_threads(1, [](comm::RankGroup& comm) {
    const auto node = comm.split_by_node({});
    const auto backend = device::make_host_backend(
        {.devices = 1, .injector = std::make_shared<FailingOnce>(), .peer_access = {}, .mapping = {}});
    const MachineMap found =
        calibrate(comm, *node, backend, machine::discover(comm, *node, *backend), {.bytes = 16 * 1024, .repeats = 1});
    EXPECT_EQ(found.types[0].exchange_rates.size(), model::kinds_to_measure(1).size() - 1);
    for (const auto& rate : found.types[0].exchange_rates) EXPECT_GT(rate.least, 0);
    node->close();
  });
}

TEST(Calibrate, what_fails_is_left_out_with_its_error) {
  comm::run_as_threads(1, [](comm::RankGroup& comm) {
    const auto node = comm.split_by_node({});
    const auto backend = device::make_host_backend(
        {.devices = 1, .injector = std::make_shared<FailingCopies>(), .peer_access = {}, .mapping = {}});
    const MachineMap found =
        calibrate(comm, *node, backend, machine::discover(comm, *node, *backend), {.bytes = 16 * 1024, .repeats = 1});
    EXPECT_TRUE(found.types[0].exchange_rates.empty());
    const auto kinds = model::kinds_to_measure(1).size();
    EXPECT_THAT(sources_of(found), HasSubstr("exchange rates not measured, " + std::to_string(kinds) + " times: "));
    EXPECT_THAT(sources_of(found), HasSubstr("the link is down"));
    node->close();
  });
}

}  // namespace
}  // namespace halocline
