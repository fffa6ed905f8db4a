// SPDX-License-Identifier: BSD-3-Clause
// The facts that are established before routing: which rank drives a device, what launches may do, and which memory MPI
// takes.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "exchange/probe.hpp"
#include "halocline/domain.hpp"
#include "halocline/session.hpp"
#include "placement/placement.hpp"
#include "plan/plan.hpp"
#include "support/forwarding_backend.hpp"

namespace halocline::test {
namespace {

using testing::HasSubstr;

/// Two ranks x two devices, four slabs in a ring.
DomainOptions four_slabs(std::shared_ptr<device::Backend> backend) {
  DomainOptions options;
  options.devices.existing.emplace(std::move(backend));
  options.partition.method = partition::Method::given;
  options.partition.node_grid = Vec3{1, 1, 1};
  options.partition.device_grid = Vec3{1, 1, 4};
  return options;
}
constexpr Vec3 four_slabs_extent{8, 8, 32};

std::shared_ptr<device::Backend> two_devices() {
  device::HostOptions host;
  host.devices = 2;
  host.ranks_on_node = 2;
  return device::make_host_backend(host);
}

exchange::FactTable probe(comm::RankGroup& comm, device::Backend& backend, const Plan& plan,
                          const std::function<std::string(const placement::Slot&)>& uuid = {}) {
  exchange::ProbeRequest request;
  request.comm = &comm;
  request.backend = &backend;
  request.geometry = &plan.geometry;
  request.placement = &plan.placement;
  request.uuid = uuid;
  request.exportable.assign(plan.placement.of_rank(comm.rank()).size(), Verdict::of(true));
  return exchange::probe_pairs(request);
}

/// The facts if each rank's backend reports the given properties.
struct Found {
  exchange::FactTable facts;  ///< of both ranks
  placement::Placement placement;
  std::vector<int> maps = std::vector<int>(2);  ///< by rank
};
Found probe(const std::function<Said(rank_id)>& said) {
  Found found;
  std::mutex mutex;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    const auto inner = two_devices();
    // The plan uses the devices and their ranks; the probe queries the other properties.
    Said planned = said(comm.rank());
    planned.kind = halocline::DeviceKind::host;
    Domain domain(four_slabs_extent, Stencil::box(1), comm,
                  four_slabs(std::make_shared<ForwardingBackend>(inner, planned)));
    domain.add_field<double>("u");
    const Plan& plan = internals(domain).plan();
    ForwardingBackend backend(inner, said(comm.rank()));
    const auto facts = probe(comm, backend, plan);
    {
      const std::lock_guard lock(mutex);
      found.placement = plan.placement;
      found.maps[comm.rank().index()] = backend.maps();
      for (const auto& [pair, known] : facts) {
        const auto [there, first] = found.facts.emplace(pair, known);
        EXPECT_EQ(there->second.direct_safe.why_not, known.direct_safe.why_not) << "the same at both ends";
        EXPECT_EQ(there->second.device_mpi.why_not, known.device_mpi.why_not) << "the same at both ends";
      }
    }
    domain.close();
  });
  EXPECT_EQ(found.facts.size(), 12U) << "four with itself, four neighbours, both ways";
  return found;
}

TEST(Probe, on_the_host_nothing_is_in_the_way) {
  for (const auto& [pair, facts] : probe([](rank_id) { return Said{}; }).facts) {
    EXPECT_TRUE(facts.direct_safe.yes) << facts.direct_safe.why_not;
    EXPECT_TRUE(facts.device_mpi.yes) << facts.device_mpi.why_not;
    EXPECT_TRUE(facts.mapped.yes) << facts.mapped.why_not;
  }
}

TEST(Probe, direct_is_not_safe_where_launches_are_serialised_at_either_end) {
  const auto found = probe([](rank_id rank) {
    return rank == rank_id(1) ? Said{.overlapping_launches = {false, "one connection"}} : Said{};
  });
  int safe = 0;
  for (const auto& [pair, facts] : found.facts) {
    const bool only_rank_0 = facts.same_rank && found.placement.of(pair.from).rank == rank_id(0);
    EXPECT_EQ(facts.direct_safe.yes, only_rank_0);
    EXPECT_EQ(facts.direct_safe.why_not, only_rank_0 ? "" : "one connection");
    safe += only_rank_0 ? 1 : 0;
  }
  EXPECT_EQ(safe, 4);
}

TEST(Probe, direct_is_not_safe_where_two_ranks_drive_a_device) {
  // The second device of each rank is shared.
  const auto found = probe([](rank_id) { return Said{.uuid = "shared"}; });
  for (const auto& [pair, facts] : found.facts) {
    const bool alone = found.placement.of(pair.from).ordinal == 0 && found.placement.of(pair.to).ordinal == 0;
    EXPECT_EQ(facts.direct_safe.yes, alone) << pair.from.value() << " -> " << pair.to.value();
    EXPECT_THAT(facts.direct_safe.why_not,
                testing::MatchesRegex(alone ? "" : "rank 0 and rank 1 share device [0-9] of node 0"));
  }
}

TEST(Probe, direct_is_not_safe_where_virtual_nodes_share_a_device) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    const auto backend = two_devices();
    DomainOptions options = four_slabs(backend);
    options.machine.ranks_per_node = 1;
    options.partition.node_grid = Vec3{1, 1, 2};
    options.partition.device_grid = Vec3{1, 1, 2};
    Domain domain(four_slabs_extent, Stencil::box(1), comm, options);
    domain.add_field<double>("u");
    const Plan& plan = internals(domain).plan();
    for (const bool shared : {false, true}) {
      const auto facts = probe(comm, *backend, plan, [&](const placement::Slot& slot) {
        return fmt::format("{} {}", slot.ordinal, shared ? 0 : slot.rank.value());
      });
      for (const auto& [pair, known] : facts) {
        EXPECT_EQ(known.direct_safe.yes, !shared) << pair.from.value() << " -> " << pair.to.value();
        if (shared) {
          EXPECT_THAT(known.direct_safe.why_not, HasSubstr("rank 0 and rank 1 share device "));
        }
      }
    }
    domain.close();
  });
}

TEST(Probe, another_ranks_memory_is_tried_once_a_device) {
  // Ranks 0 and 1 are adjacent at both ends of the ring: twice one device of each.
  EXPECT_EQ(probe([](rank_id) { return Said{}; }).maps, (std::vector{2, 2}));
}

TEST(Probe, memory_that_a_late_rank_may_map_outlives_a_deadline) {
  using std::chrono::seconds;
  std::atomic<bool> first_has_left{false};
  std::string seen = "rank 1 has mapped nothing";
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    const bool late = comm.rank() == rank_id(1);
    const auto inner = two_devices();
    Domain domain(four_slabs_extent, Stencil::box(1), comm, four_slabs(inner));
    domain.add_field<double>("u");
    const Plan& plan = internals(domain).plan();
    ForwardingBackend backend(inner, {});
    if (late) {
      backend.before_map = [&](int device, const device::MemoryHandle& handle) {
        const Deadline deadline(Clock::steady(), seconds(30));
        while (!first_has_left && !deadline.expired()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        try {
          const auto mapping = inner->map(device, handle);
          seen = "the memory of rank 0";
        } catch (const Error& error) {
          seen = error.what();
        }
      };
    }
    comm.set_timeout(late ? seconds(10) : seconds(2));
    EXPECT_THROW(static_cast<void>(probe(comm, backend, plan)), Error);
    if (!late) first_has_left = true;
  });
  EXPECT_EQ(seen, "the memory of rank 0");
}

TEST(Probe, mpi_gets_no_gpu_memory_where_it_would_be_copied_by_the_host) {
  const auto found = probe([](rank_id) { return Said{.kind = halocline::DeviceKind::cuda}; });
  for (const auto& [pair, facts] : found.facts) {
    EXPECT_FALSE(facts.device_mpi.yes);
    EXPECT_THAT(facts.device_mpi.why_not,
                HasSubstr(facts.same_rank ? "a rank's messages to itself are copied by the host"
                                          : "between ranks of one process, messages are copied by the host"));
  }
}

}  // namespace
}  // namespace halocline::test
