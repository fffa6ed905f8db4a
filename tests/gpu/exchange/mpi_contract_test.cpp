// SPDX-License-Identifier: BSD-3-Clause
// The contract suite on GPUs with ranks as processes, which see all GPUs and share them if there are more ranks.
#include <algorithm>

#include "contract/exchange/contract.hpp"
#include "device/backend.hpp"
#include "exchange/detail/device_mpi.hpp"
#include "gpu/exchange/gpus.hpp"
#include "support/mpi_world.hpp"

namespace halocline::test {
namespace {

class MpiGpuContract : public testing::TestWithParam<routing::Transport> {};

/// Why a transport is not possible for any pair of these ranks; empty if it is for one. Collective; the same on all
/// ranks.
std::string impossible(routing::Transport transport, comm::RankGroup& world, device::Backend& backend) {
  using enum routing::Transport;
  if ((transport == mpi_device || transport == ipc_copy) && world.size() == 1) return "needs 2 ranks";
  if (transport == mpi_device) {
    const Verdict answer = exchange::try_device_mpi(world, backend, 0);
    return answer.yes ? "" : "MPI takes no device pointers: " + answer.why_not;
  }
  if (transport == nccl && !backend.communicators().yes) return backend.communicators().why_not;
  if (transport == nccl && std::max(world.size(), gpu_count()) == 1) return "needs 2 GPUs";
  if ((transport == direct || transport == net || transport == nccl) && world.size() > gpu_count()) {
    return fmt::format("{} needs a GPU a rank; {} ranks see {} GPUs", routing::to_string(transport), world.size(),
                       gpu_count());
  }
  return transport == direct || transport == ipc_copy ? without_peer_access() : "";
}

TEST_P(MpiGpuContract, every_cell_is_as_geometry_says) {
  HALOCLINE_NEEDS_GPUS(1);
  const routing::Transport transport = GetParam();
  comm::RankGroup& world = mpi_world();
  const int devices = std::clamp(gpu_count() / world.size(), 1, 4);
  const auto first = static_cast<int>(world.rank().value()) * devices;
  {
    const auto backend = gpus_of_rank(first, devices);
    if (const std::string why = impossible(transport, world, *backend); !why.empty()) GTEST_SKIP() << why;
  }
  std::int64_t messages = 0;
  int cases = 0;
  for (HaloCase c : contract_cases(transport, world.size())) {
    if (c.devices_per_rank != devices) continue;
    c.make_backend = [&](comm::RankGroup&) { return gpus_of_rank(first, devices); };
    const HaloOutcome outcome = run_case(world, c);
    EXPECT_EQ(outcome.wrong, "") << c.name << ", rank " << world.rank().value();
    EXPECT_GT(outcome.cells, 0);
    ++cases;
    for (const auto& row : outcome.traffic) {
      if (row.transport == transport) messages += row.messages;
    }
  }
  EXPECT_GT(cases, 0) << "with " << devices << " GPUs a rank";
  EXPECT_GT(world.all_reduce(messages, comm::Reduction::sum), 0)
      << "by " << routing::to_string(transport) << "; all else went by mpi_staged";
}

INSTANTIATE_TEST_SUITE_P(all, MpiGpuContract, testing::ValuesIn(routing::all_transports),
                         [](const auto& param) { return std::string(routing::to_string(param.param)); });

TEST(MpiGpuRandomExchanges, are_as_geometry_says) {
  HALOCLINE_NEEDS_GPUS(1);
  comm::RankGroup& world = mpi_world();
  int cases = 0;
  for (std::uint64_t seed = 30000; seed < 30040; ++seed) {
    HaloCase c = random_case(seed, world.size());
    if (c.devices_per_rank + (c.uneven_devices ? 1 : 0) > gpu_count()) continue;
    c.make_backend = [&](comm::RankGroup& all) {
      const auto rank = static_cast<int>(all.rank().value());
      return gpus_of_rank(rank * c.devices_per_rank, c.devices_per_rank + (c.uneven_devices ? rank % 2 : 0));
    };
    const HaloOutcome outcome = run_case(world, c);
    EXPECT_EQ(outcome.wrong, "") << c.name << ", rank " << world.rank().value();
    EXPECT_GT(outcome.cells, 0) << c.name;
    ++cases;
  }
  EXPECT_GT(cases, 0);
}

}  // namespace
}  // namespace halocline::test
