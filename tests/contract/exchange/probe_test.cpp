// What is found out before routing: by whom a device is driven, what launches may do, and what MPI may be given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "halocline/comm/twins.hpp"
#include "halocline/device/host.hpp"
#include "halocline/domain/domain.hpp"
#include "halocline/exchange/probe.hpp"
#include "support/forwarding_backend.hpp"

namespace halocline::test {
namespace {

using testing::HasSubstr;

/// Two ranks x two devices, four slabs in a ring; what each rank's backend says of itself.
struct Found {
  exchange::FactTable facts;  ///< of both ranks
  placement::Placement placement;
  std::vector<int> maps = std::vector<int>(2);  ///< by rank
};
Found probe(const std::function<Said(rank_id)>& said) {
  Found found;
  std::mutex mutex;
  comm::run_as_threads(2, [&](comm::Communicator& comm) {
    device::HostOptions host;
    host.devices = 2;
    host.ranks_on_node = 2;
    DomainOptions options;
    auto inner = device::make_host_backend(host);
    // Planned with what devices there are and who drives them; asked for the rest.
    Said planned = said(comm.rank());
    planned.kind = device::BackendKind::host;
    options.backend = std::make_shared<ForwardingBackend>(inner, planned);
    options.partition = partition::Method::given;
    options.node_grid = Vec3{1, 1, 1};
    options.device_grid = Vec3{1, 1, 4};
    Domain domain({8, 8, 32}, Radius::uniform(1), comm, options);
    domain.add_field<double>("u");
    const Plan& plan = domain.plan();
    ForwardingBackend backend(inner, said(comm.rank()));
    exchange::ProbeRequest request;
    request.comm = &comm;
    request.backend = &backend;
    request.geometry = &plan.geometry;
    request.placement = &plan.placement;
    for (std::size_t i = 0; i < plan.placement.of_rank(comm.rank()).size(); ++i) {
      request.exportable.push_back(routing::Answer::of(true));
    }
    const auto facts = exchange::probe_pairs(request);
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
  // The second of each rank's.
  const auto found = probe([](rank_id) { return Said{.uuid = "shared"}; });
  for (const auto& [pair, facts] : found.facts) {
    const bool alone = found.placement.of(pair.from).ordinal == 0 && found.placement.of(pair.to).ordinal == 0;
    EXPECT_EQ(facts.direct_safe.yes, alone) << pair.from.value() << " -> " << pair.to.value();
    EXPECT_THAT(facts.direct_safe.why_not,
                testing::MatchesRegex(alone ? "" : "rank 0 and rank 1 share device [0-9] of node 0"));
  }
}

TEST(Probe, another_ranks_memory_is_tried_once_a_device) {
  // Ranks 0 and 1 meet at both ends of the ring: one device of one with one of the other, twice.
  EXPECT_EQ(probe([](rank_id) { return Said{}; }).maps, (std::vector{2, 2}));
}

TEST(Probe, mpi_gets_no_gpu_memory_where_it_would_be_copied_by_the_host) {
  const auto found = probe([](rank_id) { return Said{.kind = device::BackendKind::cuda}; });
  for (const auto& [pair, facts] : found.facts) {
    EXPECT_FALSE(facts.device_mpi.yes);
    EXPECT_THAT(facts.device_mpi.why_not,
                HasSubstr(facts.same_rank ? "a rank's messages to itself are copied by the host"
                                          : "between ranks of one process, messages are copied by the host"));
  }
}

}  // namespace
}  // namespace halocline::test
