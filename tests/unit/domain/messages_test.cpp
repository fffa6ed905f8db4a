// SPDX-License-Identifier: BSD-3-Clause
// One message a direction: the number of messages, their streams, and that packing is enqueued before later work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "comm/local_ranks.hpp"
#include "device/backend.hpp"
#include "device/host.hpp"
#include "discovery/discover.hpp"
#include "domain/internals.hpp"
#include "exchange/exchange.hpp"
#include "halocline/halocline.hpp"
#include "halocline/session.hpp"
#include "plan/plan.hpp"
#include "support/error_of.hpp"
#include "support/forwarding_backend.hpp"

namespace halocline {
namespace {

using exchange::Messages;
using testing::AllOf;
using testing::HasSubstr;

/// 8 subdomains in one process; each has neighbours in all 26 directions.
DomainOptions options_of(routing::Transport transport, Messages messages, std::shared_ptr<device::Backend> backend) {
  DomainOptions options;
  options.devices.existing.emplace(std::move(backend));
  options.partition.method = partition::Method::given;
  options.partition.node_grid = Vec3{1, 1, 1};
  options.partition.device_grid = Vec3{2, 2, 2};
  options.routing.policy.order = {transport};
  options.routing.messages = messages;
  return options;
}

std::shared_ptr<test::ForwardingBackend> eight_devices(std::shared_ptr<device::Injector> injector = nullptr) {
  device::HostOptions host;
  host.devices = 8;
  host.injector = std::move(injector);
  return std::make_shared<test::ForwardingBackend>(device::make_host_backend(host), test::Said{});
}

exchange::Traffic traffic_of(routing::Transport transport, Messages messages, const Stencil& radius) {
  Domain domain({16, 16, 16}, radius, options_of(transport, messages, eight_devices()));
  static_cast<void>(domain.add_field<double>("a"));
  static_cast<void>(domain.add_field<float>("b"));
  domain.realize();
  const auto traffic = internals(domain).traffic(transport);
  domain.close();
  return traffic;
}

/// The number of messages by the routes, which explain() prints.
std::int64_t routed_of(routing::Transport transport, Messages messages, const Stencil& radius) {
  Domain domain({16, 16, 16}, radius, options_of(transport, messages, eight_devices()));
  static_cast<void>(domain.add_field<double>("a"));
  domain.realize();
  std::int64_t sent = 0;
  for (const RoutedMessage& routed : internals(domain).gather_routes()) sent += routed.messages;
  domain.close();
  return sent;
}

TEST(Messages, are_as_many_as_there_are_directions_with_the_same_cells) {
  using routing::Transport;
  const Stencil all = Stencil::box(2);
  for (const Transport transport : {Transport::mpi_staged, Transport::mpi_device, Transport::peer_copy}) {
    const auto together = traffic_of(transport, Messages::by_neighbour, all);
    const auto apart = traffic_of(transport, Messages::by_direction, all);
    EXPECT_EQ(together.messages, 8 * 7);
    EXPECT_EQ(apart.messages, 8 * 26);
    EXPECT_EQ(apart.bytes, together.bytes);
    EXPECT_EQ(routed_of(transport, Messages::by_neighbour, all), together.messages);
    EXPECT_EQ(routed_of(transport, Messages::by_direction, all), apart.messages);
    EXPECT_EQ(traffic_of(transport, Messages::by_direction, all.without_corners()).messages, 8 * 18);
  }
  EXPECT_EQ(traffic_of(Transport::direct, Messages::by_direction, all).messages, 8 * 7);
  EXPECT_EQ(routed_of(Transport::direct, Messages::by_direction, all), 8 * 7);
}

TEST(Messages, by_direction_have_a_stream_each_of_high_priority) {
  auto backend = eight_devices();
  Domain domain({16, 16, 16}, Stencil::box(2),
                options_of(routing::Transport::mpi_staged, Messages::by_direction, backend));
  static_cast<void>(domain.add_field<double>("u"));
  domain.realize();
  std::map<std::string, int> ends;
  for (const auto& [name, priority] : backend->streams()) {
    if (name.find(" towards ") == std::string::npos) continue;
    ++ends[name];
    EXPECT_EQ(priority, device::Priority::high) << name;
  }
  EXPECT_EQ(ends.size(), 8u * 26);
  EXPECT_TRUE(std::ranges::all_of(ends, [](const auto& end) { return end.second == 2; })) << "a sender, a receiver";
  EXPECT_TRUE(ends.contains("subdomain 0 -> 7 towards (+1, -1, +1) (mpi_staged, rank 0 -> rank 0)"));
  EXPECT_THAT(domain.explain(),
              AllOf(HasSubstr("routes     208 messages of 56 pairs"), HasSubstr("all            208 messages")));
  domain.close();
}

/// Four ranks on two nodes, on the machine at hand with given costs of messages. Returns rank 0's explanation.
std::string explained(const machine::Software& software, std::int64_t expected_between_nodes) {
  std::string text;
  comm::run_as_threads(4, [&](comm::RankGroup& comm) {
    const auto node = comm.split_by_node(2);
    const auto backend = make_devices(comm, {.kind = DeviceKind::host, .per_rank = 1}).backend();
    machine::MachineMap map = machine::discover(comm, *node, *backend);
    map.software = software;
    node->close();
    DomainOptions options;
    options.devices.existing.emplace(backend);
    options.machine = {.map = map, .ranks_per_node = 2};
    options.routing.messages = Messages::automatic;
    options.routing.policy = routing::Policy::parse("self,direct,mpi_staged");
    Domain domain({32, 16, 16}, Stencil::box(1), comm, options);
    static_cast<void>(domain.add_field<double>("u"));
    domain.realize();
    domain.exchange();
    domain.synchronize();
    std::int64_t sent = internals(domain).traffic(routing::Transport::mpi_staged).messages;
    sent = comm.all_reduce(sent, comm::Reduction::sum);
    EXPECT_EQ(sent, expected_between_nodes);
    if (comm.rank() == rank_id(0)) text = domain.explain();
    domain.close();
  });
  return text;
}

TEST(Messages, are_by_node_where_that_is_predicted_to_be_faster) {
  EXPECT_THAT(explained({.mpi_latency = 1e-5, .mpi_overhead = 1e-4, .device_launch = 1e-6}, 2),
              HasSubstr("messages   by_node: predicted for an exchange by_node "));
  EXPECT_THAT(explained({.mpi_latency = 1e-3, .mpi_overhead = 1e-9, .device_launch = 1e-9}, 8),
              HasSubstr("messages   by_neighbour: predicted for an exchange "));
  EXPECT_THAT(explained({}, 8), HasSubstr("messages   by_neighbour: the machine map has no times of messages"));
}

/// Records the operations that are enqueued.
class Notes final : public device::Injector {
 public:
  device::Injection before(device::Operation operation, int device) override {
    const std::lock_guard lock(mutex_);
    operations_.emplace_back(operation, device);
    return {};
  }
  [[nodiscard]] std::vector<std::pair<device::Operation, int>> taken() {
    const std::lock_guard lock(mutex_);
    return std::exchange(operations_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<device::Operation, int>> operations_;
};

TEST(Messages, are_packed_before_what_follows_the_start_of_an_exchange) {
  for (const Messages messages : {Messages::by_neighbour, Messages::by_direction}) {
    const auto notes = std::make_shared<Notes>();
    Domain domain({16, 16, 16}, Stencil::box(2),
                  options_of(routing::Transport::mpi_staged, messages, eight_devices(notes)));
    static_cast<void>(domain.add_field<double>("u", {.buffers = 2}));
    domain.realize();
    for (int turn = 0; turn < 2; ++turn) {
      static_cast<void>(notes->taken());
      auto exchange = domain.start_exchange();
      const auto started = notes->taken();
      for (int device = 0; device < 8; ++device) {
        const auto packings = std::ranges::count(started, std::pair(device::Operation::copy_list, device));
        EXPECT_GE(packings, messages == Messages::by_direction ? 26 : 7) << "all of them are in their streams by now";
      }
      exchange.finish();
      domain.synchronize();
    }
    domain.close();
  }
}

TEST(Messages, that_differ_between_ranks_are_one_error_on_all) {
  std::mutex one;
  std::vector<std::string> errors;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    DomainOptions options;
    if (comm.rank() == rank_id(1)) options.routing.messages = Messages::by_direction;
    Domain domain({8, 8, 8}, Stencil::box(1), comm, options);
    static_cast<void>(domain.add_field<double>("u"));
    const auto error = test::error_of<InvalidArgument>([&] { domain.realize(); });
    const std::lock_guard lock(one);
    errors.push_back(error);
  });
  for (const auto& error : errors) {
    EXPECT_THAT(error, HasSubstr("messages: rank 0 has by_neighbour, rank 1 has by_direction"));
  }
}

}  // namespace
}  // namespace halocline
