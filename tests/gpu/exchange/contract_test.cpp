// SPDX-License-Identifier: BSD-3-Clause
// The contract suite on GPUs, with ranks as threads of one process that drive different GPUs.
#include <mutex>

#include "comm/local_ranks.hpp"
#include "contract/exchange/contract.hpp"
#include "exchange/exchange.hpp"
#include "gpu/exchange/gpus.hpp"
#include "halocline/session.hpp"

namespace halocline::test {
namespace {

class GpuContract : public testing::TestWithParam<std::tuple<routing::Transport, int>> {};

void expect_contract(routing::Transport transport, int ranks, exchange::Messages messages_as) {
  const int devices = std::min(gpu_count() / ranks, 4);
  std::mutex mutex;
  std::int64_t messages = 0;
  std::int64_t cells = 0;
  comm::run_as_threads(ranks, [&](comm::RankGroup& comm) {
    for (HaloCase c : contract_cases(transport, ranks)) {
      if (c.devices_per_rank != devices) continue;
      c.messages = messages_as;
      c.make_backend = [&](comm::RankGroup& world) {
        return gpus_of_rank(static_cast<int>(world.rank().value()) * devices, devices);
      };
      const HaloOutcome outcome = run_case(comm, c);
      const std::lock_guard lock(mutex);
      EXPECT_EQ(outcome.wrong, "") << c.name << ", rank " << comm.rank().value();
      cells += outcome.cells;
      for (const auto& row : outcome.traffic) {
        if (row.transport == transport) messages += row.messages;
      }
    }
  });
  EXPECT_GT(cells, 0);
  EXPECT_GT(messages, 0) << "by " << routing::to_string(transport) << "; all else went by mpi_staged";
}

/// Why a transport is not possible for any pair of these ranks; empty if it is for one.
std::string impossible(routing::Transport transport, int ranks) {
  using enum routing::Transport;
  if (transport == mpi_device) return "messages of ranks that are threads are copied by the host";
  if (transport == ipc_copy && ranks == 1) return "needs 2 ranks";
  if (transport == nccl) {
    if (gpu_count() < 2) return "needs 2 GPUs";
    const Verdict answer = gpus_of_rank(0, 1)->communicators();
    return answer.yes ? "" : answer.why_not;
  }
  const bool between_gpus = transport == ipc_copy || (transport == direct && ranks > 1);
  return between_gpus ? without_peer_access() : "";
}

TEST_P(GpuContract, every_cell_is_as_geometry_says) {
  const auto [transport, ranks] = GetParam();
  HALOCLINE_NEEDS_GPUS(ranks);
  if (const std::string why = impossible(transport, ranks); !why.empty()) GTEST_SKIP() << why;
  expect_contract(transport, ranks, exchange::Messages::by_neighbour);
}

/// One message for each direction.
class GpuContractByDirection : public GpuContract {};

TEST_P(GpuContractByDirection, every_cell_is_as_geometry_says) {
  const auto [transport, ranks] = GetParam();
  HALOCLINE_NEEDS_GPUS(ranks);
  if (const std::string why = impossible(transport, ranks); !why.empty()) GTEST_SKIP() << why;
  expect_contract(transport, ranks, exchange::Messages::by_direction);
}

std::string name_of(const testing::TestParamInfo<std::tuple<routing::Transport, int>>& info) {
  return fmt::format("{}_{}_ranks", routing::to_string(std::get<0>(info.param)), std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(all, GpuContract,
                         testing::Combine(testing::ValuesIn(routing::all_transports), testing::Values(1, 2, 3, 4, 8)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(all, GpuContractByDirection,
                         testing::Combine(testing::Values(routing::Transport::peer_copy, routing::Transport::ipc_copy,
                                                          routing::Transport::mpi_staged),
                                          testing::Values(1, 2, 4, 8)),
                         name_of);

/// Seeded cases for a number of ranks; cases that need more GPUs are left out.
TEST(GpuRandomExchanges, are_as_geometry_says) {
  HALOCLINE_NEEDS_GPUS(2);
  std::mutex mutex;
  std::int64_t cases = 0;
  for (int ranks = 1; ranks <= std::min(gpu_count(), 8); ++ranks) {
    comm::run_as_threads(ranks, [&](comm::RankGroup& comm) {
      for (std::uint64_t seed = 20000; seed < 20060; ++seed) {
        HaloCase c = random_case(seed, ranks);
        const auto devices = [&](int rank) { return c.devices_per_rank + (c.uneven_devices ? rank % 2 : 0); };
        int all = 0;
        int before = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          if (rank == comm.rank().value()) before = all;
          all += devices(rank);
        }
        if (all > gpu_count()) continue;
        c.make_backend = [&](comm::RankGroup& world) {
          return gpus_of_rank(before, devices(static_cast<int>(world.rank().value())));
        };
        const HaloOutcome outcome = run_case(comm, c);
        const std::lock_guard lock(mutex);
        EXPECT_EQ(outcome.wrong, "") << c.name << ", " << ranks << " ranks, rank " << comm.rank().value();
        EXPECT_GT(outcome.cells, 0) << c.name;
        ++cases;
      }
    });
  }
  EXPECT_GT(cases, 50);
}

}  // namespace
}  // namespace halocline::test
