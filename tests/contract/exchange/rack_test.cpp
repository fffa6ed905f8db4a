// SPDX-License-Identifier: BSD-3-Clause
// Virtual nodes that form one rack, with ranks as threads: direct and ipc_copy between nodes, where memory beyond the node cannot be
// mapped, and ranks of other nodes that stop. The contract suite has the shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "comm/local_ranks.hpp"
#include "contract/exchange/ranks.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "machine/machine_map.hpp"
#include "plan/plan.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Nodes of one rank with two devices each.
DomainOptions in_a_rack(routing::Transport transport, Duration timeout = 20s, bool virtual_rack = true) {
  DomainOptions options = options_with(nullptr, transport, timeout);
  options.machine.ranks_per_node = 1;
  options.internal = std::make_shared<InternalOptions>(InternalOptions{.virtual_rack = virtual_rack});
  return options;
}

/// The text of explain() on rank 0 after an exchange on two nodes.
std::string explained(const std::function<DomainOptions(rank_id)>& options_of_rank) {
  std::string text;
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    Domain domain({12, 12, 12}, Stencil::box(1), comm, options_of_rank(comm.rank()));
    domain.add_field<double>("u");
    domain.realize();
    domain.exchange();
    domain.synchronize();
    const std::string all_routes = domain.explain();
    if (comm.rank() == rank_id(0)) text = all_routes;
    domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
  return text;
}

class Rack : public testing::TestWithParam<routing::Transport> {};

TEST_P(Rack, nodes_of_one_rack_map_each_others_memory) {
  const std::string name(routing::to_string(GetParam()));
  const std::string text = explained([](rank_id) { return in_a_rack(GetParam()); });
  EXPECT_THAT(text, AllOf(HasSubstr(name + ": same load/store domain, other node, mapping yes"),
                          Not(HasSubstr("mpi_staged: same load/store domain"))));
}

TEST_P(Rack, nodes_of_none_do_not) {
  const std::string text = explained([](rank_id) { return in_a_rack(GetParam(), 20s, false); });
  EXPECT_THAT(text, AllOf(HasSubstr("mpi_staged: two nodes"), Not(HasSubstr("load/store domain"))));
}

/// As where one host of a rack may not use fabric handles: its side's refusal counts for both directions.
TEST_P(Rack, memory_that_cannot_be_mapped_beyond_the_node_is_the_reason_for_messages) {
  const std::string name(routing::to_string(GetParam()));
  const std::string text = explained([](rank_id rank) {
    DomainOptions options = in_a_rack(GetParam());
    device::HostOptions host;
    host.devices = 2;
    if (rank == rank_id(1)) host.mapping = [](int, const std::string&) { return false; };
    options.devices.existing.emplace(device::make_host_backend(host));
    return options;
  });
  EXPECT_THAT(text, AllOf(HasSubstr("mpi_staged: same load/store domain, other node, through host memory"),
                          HasSubstr(name + " not possible (no mapping beyond the node: ")));
}

/// Rank 1, a node of its own, stops before an exchange and stays alive. The abort word ends at the node, so that each survivor ends at
/// its own deadline.
TEST_P(Rack, a_stopped_rank_of_another_node_is_an_error_that_names_pair_transport_and_step) {
  const auto all = outcomes_beside_a_stopped_rank([] { return in_a_rack(GetParam(), 1s); });
  EXPECT_EQ(all[1].text, "");
  for (const int rank : {0, 2}) {
    const Outcome& outcome = all[static_cast<std::size_t>(rank)];
    EXPECT_LT(outcome.took, 8s);
    EXPECT_EQ(outcome.kind, ErrorKind::deadline) << "its own, not another node's";
    EXPECT_THAT(outcome.text,
                AllOf(HasSubstr(std::string(routing::to_string(GetParam()))), HasSubstr("subdomain "),
                      HasSubstr("rank 1"), testing::AnyOf(HasSubstr("epoch 4"), HasSubstr("exchange 4"))));
  }
}

INSTANTIATE_TEST_SUITE_P(transports, Rack, testing::Values(routing::Transport::direct, routing::Transport::ipc_copy),
                         [](const auto& tested) { return std::string(routing::to_string(tested.param)); });

}  // namespace
}  // namespace halocline::test
