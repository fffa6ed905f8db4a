// SPDX-License-Identifier: BSD-3-Clause
// The contract suite with ranks as processes; a rank shape is launched once and runs all cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/gather.hpp"
#include "contract/exchange/contract.hpp"
#include "contract/exchange/engines.hpp"
#include "contract/exchange/reduced.hpp"
#include "contract/exchange/system_placement.hpp"
#include "contract/exchange/ways.hpp"
#include "halocline/halocline.hpp"
#include "support/captured.hpp"
#include "support/error_of.hpp"
#include "support/mpi_world.hpp"

namespace halocline::test {
namespace {

class MpiContract : public testing::TestWithParam<routing::Transport> {};

void expect_contract(routing::Transport transport, exchange::Messages how,
                     routing::NetEngine engine = routing::NetEngine::mpi) {
  comm::RankGroup& world = mpi_world();
  std::int64_t messages = 0;
  for (HaloCase& c : contract_cases(transport, world.size())) {
    c.messages = how;
    c.net_engine = engine;
    const HaloOutcome outcome = run_case(world, c);
    EXPECT_EQ(outcome.wrong, "") << c.name << ", rank " << world.rank().value();
    EXPECT_GT(outcome.cells, 0);
    for (const auto& row : outcome.traffic) {
      if (row.transport == transport) messages += row.messages;
    }
  }
  messages = world.all_reduce(messages, comm::Reduction::sum);
  const bool has_a_pair = transport != routing::Transport::ipc_copy || world.size() > 1;
  EXPECT_EQ(messages > 0, has_a_pair);
}

TEST_P(MpiContract, every_cell_is_as_geometry_says) { expect_contract(GetParam(), exchange::Messages::by_neighbour); }

TEST_P(MpiContract, reductions_have_the_same_bits_on_all_ranks) {
  comm::RankGroup& world = mpi_world();
  Reduced reduced(world, options_with(nullptr, GetParam(), std::chrono::seconds(30)));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    reduced.fill(seed);
    reduced.domain.reduce(reduced.all());
    reduced.fill(seed + 100);
    if (seed % 4 == 0) reduced.expect_near_to_a_loop(seed);
    const auto mine = reduced.bits();
    for (const auto& theirs : comm::gather(world, mine)) ASSERT_EQ(theirs, mine) << seed;
  }
  reduced.domain.close();
}

TEST(MpiBundles, every_cell_is_as_geometry_says) {
  expect_contract(routing::Transport::mpi_staged, exchange::Messages::by_rank);
}

TEST(MpiNodeBundles, every_cell_is_as_geometry_says) {
  expect_contract(routing::Transport::mpi_staged, exchange::Messages::by_node);
}

TEST(MpiSystemPlacement, every_cell_is_as_geometry_says) {
  comm::RankGroup& world = mpi_world();
  if (world.size() < 4) GTEST_SKIP() << "fewer than 4 nodes have no order";
  expect_moved_and_right(world, 1);
  expect_moved_and_right(world, 2);
}

/// Above MPI's eager limit: each chunk waits for its own receive, several are in flight, the last is shorter.
TEST(MpiChunks, large_messages_arrive_whole) {
  comm::RankGroup& world = mpi_world();
  HaloCase c;
  c.extent = {96, 80, std::int64_t{8} * world.size()};
  c.radius = Stencil::box(3);
  for (const char* name : {"a", "b", "c"}) {
    FieldDescriptor field;
    field.name = name;
    field.element = Element::f32;
    field.buffers = 2;
    c.fields.push_back(field);
  }
  c.partition = partition::Method::given;
  c.node_grid = Vec3{1, 1, 1};
  c.device_grid = Vec3{1, 1, world.size()};
  c.subsets = true;
  c.steps = 6;
  using routing::NetEngine;
  using routing::Transport;
  std::vector<std::pair<Transport, NetEngine>> ways{{Transport::mpi_staged, NetEngine::mpi},
                                                    {Transport::net, NetEngine::mpi}};
  if (ucx_missing().empty()) ways.emplace_back(Transport::net, NetEngine::ucx);
  for (const auto& [transport, engine] : ways) {
    c.policy.order = {transport};
    c.net_engine = engine;
    for (const std::int64_t bytes : {20'000, 100'000, 1 << 30}) {
      c.tuning.staging_chunk_bytes = bytes;
      c.delay_seed = static_cast<std::uint64_t>(bytes % 1000);  // no delays in the first two
      const HaloOutcome outcome = run_case(world, c);
      EXPECT_EQ(outcome.wrong, "") << routing::to_string(transport) << " in chunks of " << bytes << " bytes, rank "
                                   << world.rank().value();
      EXPECT_GT(outcome.traffic.at(0).bytes / outcome.traffic.at(0).messages, 200'000);
    }
  }
}

using MpiNet = ByEngine;
INSTANTIATE_TEST_SUITE_P(engines, MpiNet,
                         testing::Values(routing::NetEngine::automatic, routing::NetEngine::mpi,
                                         routing::NetEngine::ucx),
                         by_engine);

TEST_P(MpiNet, every_cell_is_as_geometry_says) {
  expect_contract(routing::Transport::net, exchange::Messages::by_neighbour, GetParam());
}

TEST(MpiNccl, is_not_possible_between_host_devices_of_processes) {
  comm::RankGroup& world = mpi_world();
  if (world.size() == 1) GTEST_SKIP() << "one rank has communicators";
  DomainOptions options;
  options.devices.kind = DeviceKind::host;
  options.routing.policy.order = {routing::Transport::nccl, routing::Transport::self};
  Domain domain({8, 8, std::int64_t{8} * world.size()}, Stencil::box(1), world, options);
  domain.add_field<double>("u");
  EXPECT_THAT(error_of<CapabilityError>([&] { domain.realize(); }),
              testing::HasSubstr("host devices emulate it between ranks that are threads only"));
}

/// Without HALOCLINE_TRANSPORTS=net a Session asks for MPI_THREAD_SERIALIZED, which leaves a graph without a thread that moves its
/// messages, unless UCX moves them.
TEST_P(MpiNet, graphs_need_a_thread_that_may_call_the_engine) {
  comm::RankGroup& world = mpi_world();
  DomainOptions options;
  options.devices.kind = DeviceKind::host;
  options.routing.policy.order = {routing::Transport::net};
  options.routing.net_engine = GetParam();
  Domain domain({8, 8, 8}, Stencil::box(1), world, options);
  domain.add_field<double>("u");
  domain.realize();
  domain.exchange();
  std::string refusal;
  try {
    Graph graph = captured(domain, [&] { domain.exchange(); });
    for (int i = 0; i < 3; ++i) graph.launch();
    domain.synchronize();
  } catch (const CapabilityError& error) {
    refusal = error.what();
  }
  const bool refused = refusal.find("needs the host: MPI was initialised with") != std::string::npos;
  const Environment environment = Environment::read();
  const bool by_mpi = GetParam() == routing::NetEngine::mpi ||
                      (GetParam() == routing::NetEngine::automatic && !exchange::ucx_usable().yes);
  EXPECT_EQ(refused, by_mpi && world.backend() == comm::CommBackend::mpi && environment.transports != "net") << refusal;
  domain.close();
}

// nccl: host devices emulate communicators between threads only.
INSTANTIATE_TEST_SUITE_P(all, MpiContract, testing::ValuesIn(transports_without({routing::Transport::nccl})),
                         [](const auto& param) { return std::string(routing::to_string(param.param)); });

}  // namespace
}  // namespace halocline::test
