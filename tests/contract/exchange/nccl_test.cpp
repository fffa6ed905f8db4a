// SPDX-License-Identifier: BSD-3-Clause
// nccl between host devices of ranks that are threads: how dimensions that are not cut are wrapped beside its messages. The contract
// suite has the shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "halocline/halocline.hpp"
#include "support/forwarding_backend.hpp"
#include "support/forwarding_communicator.hpp"
#include "support/halo_case.hpp"

namespace halocline::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Gt;
using testing::SizeIs;

/// The budgets of the fused exchanges that both ranks made, each with one device, for blocks of edge^2 x depth cells that are cut in z.
std::vector<int> budgets(std::int64_t edge, std::int64_t depth, bool graphs) {
  std::vector<int> all;
  std::mutex mutex;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    HaloCase one;
    one.extent = {edge, edge, 2 * depth};
    one.radius = Stencil::box(8);
    for (const char* name : {"a", "b", "c", "d"}) one.fields.push_back({.name = name, .element = Element::c128});
    one.policy.order = {routing::Transport::nccl, routing::Transport::self};
    one.partition = partition::Method::given;
    one.node_grid = {1, 1, 1};
    one.device_grid = {1, 1, 2};
    device::HostOptions host;
    host.graphs = graphs;
    const auto backend = std::make_shared<ForwardingBackend>(device::make_host_backend(host), Said{});
    one.make_backend = [&](comm::RankGroup&) { return backend; };
    EXPECT_EQ(run_case(comm, one).wrong, "");
    const std::lock_guard held(mutex);
    all.insert(all.end(), backend->budgets().begin(), backend->budgets().end());
  });
  return all;
}

class NcclWraps : public testing::TestWithParam<bool> {};

TEST_P(NcclWraps, are_copied_beside_the_messages_on_few_blocks_and_many_bytes_on_more) {
  const std::vector<int> few = budgets(16, 16, GetParam());
  ASSERT_THAT(few, SizeIs(2));
  EXPECT_THAT(few, Each(AllOf(Gt(0), few.front())));
  const std::vector<int> many = budgets(128, 96, GetParam());
  ASSERT_THAT(many, SizeIs(2));
  EXPECT_THAT(many, Each(AllOf(Gt(few.front()), many.front())));
}

INSTANTIATE_TEST_SUITE_P(ways, NcclWraps, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "replayed" : "one_by_one"; });

/// Headers of messages without cells are checked, too, and the watch of the communicator sees the end of the exchange.
TEST(NcclSelections, a_rank_that_receives_no_cells_is_not_late) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    DomainOptions options;
    options.devices.existing.emplace(device::make_host_backend({}));
    options.routing.policy.order = {routing::Transport::nccl, routing::Transport::self};
    options.partition.method = partition::Method::given;
    options.partition.device_grid = {2, 1, 1};
    options.boundaries[0] = Boundary::open;
    options.timeout = std::chrono::milliseconds(500);
    Domain domain({8, 4, 4}, Stencil::star(1), comm, options);
    const auto u = domain.add_field<float>("u");
    domain.realize();
    domain.on_open_boundary({});
    Transfer up{.field = u};
    up.directions = Directions().set(static_cast<std::size_t>(Direction::of(1, 0, 0).index()));
    for (int i = 0; i < 2; ++i) {
      domain.exchange({up});
      domain.synchronize();
      std::this_thread::sleep_for(3 * options.timeout);
    }
    domain.close();
  });
}

/// The watch of the rank that began first ends the exchange for all; the others' messages are not late yet.
TEST(NcclMissing, ranks_whose_exchange_another_rank_has_ended_name_the_missing_rank_too) {
  std::vector<std::string> texts(3);
  std::latch given_up(2);
  comm::run_as_threads(3, [&](comm::RankGroup& threads) {
    ForwardingCommunicator comm(threads);
    comm.found_missing = "rank 1 of MPI_COMM_WORLD is missing";
    DomainOptions options;
    options.devices.existing.emplace(device::make_host_backend({}));
    options.routing.policy.order = {routing::Transport::nccl, routing::Transport::self};
    options.timeout = std::chrono::milliseconds(500);
    Domain domain({8, 8, 24}, Stencil::star(1), comm, options);
    domain.add_field<float>("u");
    domain.realize();
    domain.exchange();
    domain.synchronize();
    threads.barrier();
    if (comm.rank() == rank_id(1)) return given_up.wait();
    if (comm.rank() == rank_id(2)) std::this_thread::sleep_for(options.timeout / 2);
    try {
      domain.exchange();
      domain.synchronize();
    } catch (const Error& error) {
      texts[static_cast<std::size_t>(comm.rank().value())] = error.what();
    }
    given_up.count_down();
  });
  for (const int rank : {0, 2}) {
    EXPECT_THAT(texts[static_cast<std::size_t>(rank)],
                testing::AllOf(testing::HasSubstr("rank 1 of MPI_COMM_WORLD is missing"),
                               testing::ContainsRegex("subdomain [0-9]+ -> [0-9]+ .nccl"), testing::HasSubstr(" 2")));
  }
  EXPECT_THAT(texts[2], testing::HasSubstr("given up"));
}

}  // namespace
}  // namespace halocline::test
