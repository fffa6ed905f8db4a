// SPDX-License-Identifier: BSD-3-Clause
// The bytes of messages: what their transport sends.
#include "plan/routed_messages.hpp"

#include <gtest/gtest.h>

#include "machine/synthetic.hpp"

namespace halocline {
namespace {

using routing::Messages;

/// Two subdomains of 8 x 12 x 16 cells on as many nodes, cut in z.
Plan plan_of_two() {
  PlanRequest request;
  request.extent = {8, 12, 32};
  request.stencil = Stencil::box(1);
  request.fields = {{.name = "u", .element = Element::f64}};
  request.partition = partition::Method::given;
  request.node_grid = Vec3{1, 1, 2};
  request.device_grid = Vec3{1, 1, 1};
  request.machine = machine::synthetic({.nodes = 2, .devices_per_node = 1, .ranks_per_node = 1});
  return make_plan(request);
}

constexpr std::int64_t faces = 2 * 8 * 12 * 8;
constexpr std::int64_t with_edges_and_corners = 2 * 10 * 14 * 8;

/// From the first subdomain to the second one.
RoutedMessage between(const std::vector<RoutedMessage>& all) {
  for (const RoutedMessage& one : all) {
    if (one.route.from == subdomain_id(0) && one.route.to == subdomain_id(1)) return one;
  }
  return {};
}

TEST(RoutedMessages, HaveTheBytesThatTheirTransportSends) {
  const Plan plan = plan_of_two();
  const routing::Policy policy = routing::Policy::parse("self,mpi_staged");
  const RoutedMessage whole = between(assumed_routes(plan, policy, false, {}, Messages::by_neighbour));
  EXPECT_EQ(whole.messages, 1);
  EXPECT_EQ(whole.bytes, faces) << "edges and corners are cells of the faces";
  const RoutedMessage parts = between(assumed_routes(plan, policy, false, {}, Messages::by_direction));
  EXPECT_EQ(parts.messages, 18);
  EXPECT_EQ(parts.bytes, with_edges_and_corners) << "each is a message of its own";
}

TEST(RoutedMessages, OfRoutesThatAreGivenHaveThemToo) {
  const Plan plan = plan_of_two();
  const std::vector<subdomain_id> senders{subdomain_id(0)};
  for (const auto& [transport, bytes] :
       {std::pair{routing::Transport::mpi_staged, faces}, std::pair{routing::Transport::net, faces},
        std::pair{routing::Transport::direct, with_edges_and_corners}}) {
    std::vector<routing::Route> routes(2);
    routes[0].from = routes[0].to = routes[1].from = subdomain_id(0);
    routes[1].to = subdomain_id(1);
    routes[1].transport = transport;
    const auto routed = routed_messages(plan.geometry, plan.placement, senders, routes, Messages::by_neighbour);
    EXPECT_EQ(between(routed).bytes, bytes) << routing::to_string(transport);
  }
}

}  // namespace
}  // namespace halocline
