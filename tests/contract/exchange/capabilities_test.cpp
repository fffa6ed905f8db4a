// SPDX-License-Identifier: BSD-3-Clause
// Missing capabilities: the next transport is used, with the reason, the same at both ends, and the halos are right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "halocline/session.hpp"
#include "plan/plan.hpp"
#include "ranks.hpp"
#include "support/captured.hpp"
#include "support/error_of.hpp"

namespace halocline::test {
namespace {

using testing::HasSubstr;

/// Exchanges one field once on 2 ranks x 2 devices and returns all routes.
std::vector<RoutedMessage> routes_with(const std::function<void(device::HostOptions&, rank_id)>& restrict_host) {
  std::vector<RoutedMessage> all;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    device::HostOptions host;
    host.devices = 2;
    host.ranks_on_node = 2;
    restrict_host(host, comm.rank());
    DomainOptions options;
    options.devices.existing.emplace(device::make_host_backend(host));
    options.partition.method = partition::Method::given;  // slabs: 0 and 1 on rank 0, 2 and 3 on rank 1
    options.partition.node_grid = Vec3{1, 1, 1};
    options.partition.device_grid = Vec3{1, 1, 4};
    const Vec3 extent{8, 8, 32};
    Domain domain(extent, Stencil::box(2), comm, options);
    const auto u = domain.add_field<double>("u");
    domain.realize();
    for (const auto& s : domain.subdomains()) {
      const auto view = s.view(u);
      for_each_cell(view.with_halo(),
                    [&](const Vec3& p) { view(p) = view.owned().contains(p) ? static_cast<double>(p.z) : -1; });
    }
    domain.plan().comm.barrier();
    domain.exchange();
    domain.synchronize();
    for (const auto& s : domain.subdomains()) {
      const auto view = s.view(u);
      for_each_cell(view.with_halo(), [&](const Vec3& p) {
        ASSERT_EQ(view(p), static_cast<double>((p.z + extent.z) % extent.z)) << to_string(p);
      });
    }
    auto routes = internals(domain).gather_routes();
    domain.close();
    if (comm.rank() == rank_id(0)) all = std::move(routes);
  });
  return all;
}

TEST(Capabilities, with_everything_there_all_is_direct) {
  for (const auto& [route, bytes, messages] : routes_with([](auto&, auto) {})) {
    EXPECT_EQ(route.transport, route.from == route.to ? routing::Transport::self : routing::Transport::direct)
        << route.reason;
  }
}

TEST(Capabilities, one_rank_that_cannot_map_sends_and_receives_by_mpi) {
  int between_ranks = 0;
  const auto routes = routes_with([](device::HostOptions& host, rank_id rank) {
    if (rank == rank_id(1)) host.mapping = [](int, const std::string&) { return false; };
  });
  for (const auto& [route, bytes, messages] : routes) {
    if (route.transport == routing::Transport::self || route.transport == routing::Transport::direct) continue;
    ++between_ranks;
    EXPECT_EQ(route.transport, routing::Transport::mpi_device) << route.reason;
    EXPECT_THAT(route.reason, HasSubstr("direct"));
  }
  EXPECT_EQ(between_ranks, 4) << "two pairs, both ways: refused at one end, changed at both";
}

TEST(Capabilities, without_peer_access_the_driver_stages) {
  int copies = 0;
  const auto routes = routes_with(
      [](device::HostOptions& host, rank_id) { host.peer_access = [](int from, int to) { return from == to; }; });
  for (const auto& [route, bytes, messages] : routes)
    copies += route.transport == routing::Transport::peer_copy ? 1 : 0;
  EXPECT_EQ(copies, 4) << "one pair in each rank, both ways";
}

/// A chain of ranks on two nodes: the messages of its ends stay within their nodes, and need no host.
TEST(Capabilities, a_capture_is_refused_on_all_ranks_where_a_route_of_one_needs_the_host) {
  std::vector<std::string> texts(4);
  for (const Outcome& outcome : outcomes(4, [&](comm::RankGroup& comm) {
         DomainOptions options;
         options.devices.existing.emplace(device::make_host_backend({}));
         options.machine.ranks_per_node = 2;
         options.routing.policy.order = {routing::Transport::direct, routing::Transport::self,
                                         routing::Transport::mpi_staged};
         options.boundaries = {Boundary::open, Boundary::open, Boundary::open};
         Domain domain({4, 4, 16}, Stencil::star(1), comm, options);
         domain.add_field<float>("u");
         domain.on_open_boundary({});
         domain.realize();
         texts[static_cast<std::size_t>(comm.rank().value())] =
             error_of<CapabilityError>([&] { static_cast<void>(captured(domain, [&] { domain.exchange(); })); });
         domain.exchange();
         domain.synchronize();
         domain.close();
       })) {
    EXPECT_EQ(outcome.text, "");
  }
  EXPECT_THAT(texts, testing::Each(testing::AllOf(
                         HasSubstr("the exchange cannot be captured in a graph: rank 1: "),
                         HasSubstr("(mpi_staged, rank 1 -> rank 2) needs the host; its route is mpi_staged: "),
                         HasSubstr("direct not "))));
}

}  // namespace
}  // namespace halocline::test
