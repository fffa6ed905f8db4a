// SPDX-License-Identifier: BSD-3-Clause
// The contract suite with ranks as threads.
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <set>

#include "comm/local_ranks.hpp"
#include "contract/exchange/contract.hpp"
#include "contract/exchange/ways.hpp"
#include "exchange/exchange.hpp"
#include "halocline/session.hpp"

namespace halocline::test {
namespace {

/// Builds that run a part of the cases still run every kind.
TEST(ContractCases, are_of_each_kind_for_each_transport_and_on_all_devices_and_nodes) {
  for (const int ranks : {1, 2, 3, 4, 6, 8}) {
    std::map<std::pair<int, int>, std::set<std::string>> of_shape;
    for (const routing::Transport transport : routing::all_transports) {
      std::set<std::string> of_transport;
      int in_a_rack = 0;
      for (const HaloCase& c : contract_cases(transport, ranks)) {
        in_a_rack += c.virtual_rack ? 1 : 0;
        if (c.virtual_rack) continue;
        const std::string kind = c.name.substr(c.name.find(to_string(transport)) + to_string(transport).size());
        of_transport.insert(kind);
        of_shape[{c.devices_per_rank, c.ranks_per_node.value_or(0)}].insert(kind);
      }
      EXPECT_EQ(of_transport.size(), 4u) << to_string(transport) << ", " << ranks << " ranks";
      const bool maps = transport == routing::Transport::direct || transport == routing::Transport::ipc_copy;
      EXPECT_EQ(in_a_rack > 0, maps && ranks > 1) << to_string(transport) << ", " << ranks << " ranks";
    }
    for (const auto& [shape, kinds] : of_shape) {
      EXPECT_EQ(kinds.size(), 4u) << ranks << " ranks x " << shape.first << " devices, " << shape.second << " a node";
    }
  }
}

class Contract : public testing::TestWithParam<std::tuple<routing::Transport, int>> {};

/// Calls change(halo_case) for each case first.
template <typename Change>
void expect_contract(routing::Transport transport, int ranks, const Change& change) {
  auto cases = contract_cases(transport, ranks);
  ASSERT_FALSE(cases.empty());
  for (HaloCase& c : cases) change(c);
  std::mutex mutex;
  std::int64_t messages = 0;
  std::int64_t cells = 0;
  comm::run_as_threads(ranks, [&](comm::RankGroup& comm) {
    for (const HaloCase& c : cases) {
      const HaloOutcome outcome = run_case(comm, c);
      const std::lock_guard lock(mutex);
      EXPECT_EQ(outcome.wrong, "") << c.name << ", rank " << comm.rank().value();
      cells += outcome.cells;
      for (const auto& row : outcome.traffic) {
        if (row.transport == transport) messages += row.messages;
        // direct carries arrays of the user's own, too, which no other rank can map.
        if (transport == routing::Transport::direct && !c.ranks_per_node) {
          EXPECT_EQ(row.transport, transport) << c.name;
        }
      }
    }
  });
  EXPECT_GT(cells, 0);
  // ipc_copy needs a second rank; all others have a pair for every number of ranks.
  const bool has_a_pair = transport != routing::Transport::ipc_copy || ranks > 1;
  EXPECT_EQ(messages > 0, has_a_pair);
}

TEST_P(Contract, every_cell_is_as_geometry_says) {
  const auto [transport, ranks] = GetParam();
  expect_contract(transport, ranks, [](HaloCase&) {});
}

/// Seeded directions and depths for each exchange.
class ContractOfParts : public Contract {};

TEST_P(ContractOfParts, every_cell_is_as_geometry_says) {
  const auto [transport, ranks] = GetParam();
  std::uint64_t seed = 1;
  expect_contract(transport, ranks, [&seed](HaloCase& c) {
    c.parts_seed = seed += 100;
    c.steps = 5;
  });
}

/// Few ranks, because each one has launch threads for many devices.
class ContractOfLaunchThreads : public Contract {};

TEST_P(ContractOfLaunchThreads, every_cell_is_as_geometry_says) {
  const auto [transport, ranks] = GetParam();
  expect_contract(transport, ranks, [](HaloCase& c) { c.launch_threads = true; });
}

/// One message for each direction.
class ContractByDirection : public Contract {};

TEST_P(ContractByDirection, every_cell_is_as_geometry_says) {
  const auto [transport, ranks] = GetParam();
  expect_contract(transport, ranks, [](HaloCase& c) { c.messages = exchange::Messages::by_direction; });
}

/// All messages from one rank to another as one, whole and in parts.
class ContractByRank : public Contract {};

TEST_P(ContractByRank, every_cell_is_as_geometry_says) {
  const auto [transport, ranks] = GetParam();
  expect_contract(transport, ranks, [](HaloCase& c) { c.messages = exchange::Messages::by_rank; });
}

TEST_P(ContractByRank, every_cell_of_a_part_is_as_geometry_says) {
  const auto [transport, ranks] = GetParam();
  std::uint64_t seed = 1;
  expect_contract(transport, ranks, [&seed](HaloCase& c) {
    c.messages = exchange::Messages::by_rank;
    c.parts_seed = seed += 100;
    c.steps = 5;
  });
}

class ContractByRankLate : public Contract {};

TEST_P(ContractByRankLate, every_cell_is_as_geometry_says_with_launch_threads_and_delays) {
  const auto [transport, ranks] = GetParam();
  expect_contract(transport, ranks, [](HaloCase& c) {
    c.messages = exchange::Messages::by_rank;
    c.launch_threads = true;
    c.delay_seed = 7;
  });
}

/// The same from one node to another.
class ContractByNode : public Contract {};

TEST_P(ContractByNode, every_cell_is_as_geometry_says) {
  const auto [transport, ranks] = GetParam();
  expect_contract(transport, ranks, [](HaloCase& c) { c.messages = exchange::Messages::by_node; });
}

TEST_P(ContractByNode, every_cell_of_a_part_is_as_geometry_says) {
  const auto [transport, ranks] = GetParam();
  std::uint64_t seed = 1;
  expect_contract(transport, ranks, [&seed](HaloCase& c) {
    c.messages = exchange::Messages::by_node;
    c.parts_seed = seed += 100;
    c.steps = 5;
  });
}

class ContractByNodeLate : public Contract {};

TEST_P(ContractByNodeLate, every_cell_is_as_geometry_says_with_launch_threads_and_delays) {
  const auto [transport, ranks] = GetParam();
  expect_contract(transport, ranks, [](HaloCase& c) {
    c.messages = exchange::Messages::by_node;
    c.launch_threads = true;
    c.delay_seed = 7;
  });
}

std::string name_of(const testing::TestParamInfo<std::tuple<routing::Transport, int>>& info) {
  return fmt::format("{}_{}_ranks", routing::to_string(std::get<0>(info.param)), std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(all, Contract,
                         testing::Combine(testing::ValuesIn(routing::all_transports),
                                          testing::ValuesIn(rank_counts({1, 2, 3, 4, 6, 8}))),
                         name_of);
INSTANTIATE_TEST_SUITE_P(all, ContractOfParts,
                         testing::Combine(testing::ValuesIn(routing::all_transports), testing::Values(1, 2, 3)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(all, ContractByDirection,
                         testing::Combine(testing::ValuesIn(transports_without({routing::Transport::self})),
                                          testing::Values(2, 3)),
                         name_of);
// Bundles are of mpi_staged; with direct a few messages are.
INSTANTIATE_TEST_SUITE_P(all, ContractByRank,
                         testing::Combine(testing::Values(routing::Transport::mpi_staged),
                                          testing::ValuesIn(rank_counts({1, 2, 3, 4, 6, 8}))),
                         name_of);
INSTANTIATE_TEST_SUITE_P(direct, ContractByRank,
                         testing::Combine(testing::Values(routing::Transport::direct), testing::Values(4)), name_of);
INSTANTIATE_TEST_SUITE_P(all, ContractByRankLate,
                         testing::Combine(testing::Values(routing::Transport::mpi_staged), testing::Values(1, 2)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(all, ContractByNode,
                         testing::Combine(testing::Values(routing::Transport::mpi_staged),
                                          testing::ValuesIn(rank_counts({2, 3, 4, 6, 8}))),
                         name_of);
INSTANTIATE_TEST_SUITE_P(direct, ContractByNode,
                         testing::Combine(testing::Values(routing::Transport::direct), testing::Values(4)), name_of);
INSTANTIATE_TEST_SUITE_P(all, ContractByNodeLate,
                         testing::Combine(testing::Values(routing::Transport::mpi_staged), testing::Values(4)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(all, ContractOfLaunchThreads,
                         testing::Combine(testing::ValuesIn(routing::all_transports), testing::Values(1, 2)), name_of);

}  // namespace
}  // namespace halocline::test
