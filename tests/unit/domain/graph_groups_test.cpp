// SPDX-License-Identifier: BSD-3-Clause
// Which streams are captured into one graph.
#include <gtest/gtest.h>

#include <atomic>

#include "halocline/halocline.hpp"
#include "support/captured.hpp"

namespace halocline {
namespace {

/// Whether one of two devices can complete a replay while the other one is delayed.
bool ends_alone(routing::Transport transport) {
  DomainOptions options;
  options.devices.per_rank = 2;
  options.routing.policy.order = {transport, routing::Transport::self};
  options.partition.method = partition::Method::given;
  options.partition.node_grid = Vec3{1, 1, 1};
  options.partition.device_grid = Vec3{1, 1, 2};
  Domain domain({6, 5, 8}, Stencil::box(1), options);
  static_cast<void>(domain.add_field<float>("u"));
  domain.realize();
  domain.exchange();
  domain.synchronize();
  std::atomic<bool> go = true;
  const Subdomain& held = domain.subdomains()[1];
  std::optional<Graph> recording = test::captured(domain, [&] {
    domain.exchange();
    held.stream().host_function([&go] { go.wait(false); });
  });
  go = false;
  recording->launch();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  bool ended = false;
  while (!ended && std::chrono::steady_clock::now() < deadline) ended = domain.subdomains()[0].stream().query();
  go = true;
  go.notify_all();
  domain.synchronize();
  recording.reset();
  domain.close();
  return ended;
}

TEST(GraphGroups, devices_that_only_flags_order_end_on_their_own) {
  EXPECT_TRUE(ends_alone(routing::Transport::direct));
}

TEST(GraphGroups, devices_that_events_order_end_together) { EXPECT_FALSE(ends_alone(routing::Transport::peer_copy)); }

}  // namespace
}  // namespace halocline
