// The contract suite on GPUs with ranks as processes, that see all GPUs and share them where there are more ranks.
#include "contract/exchange/contract.hpp"
#include "gpu/exchange/gpus.hpp"
#include "support/mpi_world.hpp"

namespace halocline::test {
namespace {

class MpiGpuContract : public testing::TestWithParam<routing::Transport> {};

TEST_P(MpiGpuContract, every_cell_is_as_geometry_says) {
  HALOCLINE_NEEDS_GPUS(1);
  const routing::Transport transport = GetParam();
  comm::Communicator& world = mpi_world();
  const int devices = std::clamp(gpu_count() / world.size(), 1, 4);
  const auto first = static_cast<int>(world.rank().value()) * devices;
  for (HaloCase c : contract_cases(transport, world.size())) {
    if (c.devices_per_rank != devices) continue;
    c.make_backend = [&](comm::Communicator&) { return gpus_of_rank(first, devices); };
    const HaloOutcome outcome = run_case(world, c);
    EXPECT_EQ(outcome.wrong, "") << c.name << ", rank " << world.rank().value();
    EXPECT_GT(outcome.cells, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(all, MpiGpuContract, testing::ValuesIn(routing::all_transports),
                         [](const auto& param) { return std::string(routing::to_string(param.param)); });

TEST(MpiGpuRandomExchanges, are_as_geometry_says) {
  HALOCLINE_NEEDS_GPUS(1);
  comm::Communicator& world = mpi_world();
  for (std::uint64_t seed = 30000; seed < 30040; ++seed) {
    HaloCase c = random_case(seed, world.size());
    if (c.devices_per_rank + (c.uneven_devices ? 1 : 0) > gpu_count()) continue;
    c.make_backend = [&](comm::Communicator& all) {
      const auto rank = static_cast<int>(all.rank().value());
      return gpus_of_rank(rank * c.devices_per_rank, c.devices_per_rank + (c.uneven_devices ? rank % 2 : 0));
    };
    const HaloOutcome outcome = run_case(world, c);
    EXPECT_EQ(outcome.wrong, "") << c.name << ", rank " << world.rank().value();
    EXPECT_GT(outcome.cells, 0) << c.name;
  }
}

}  // namespace
}  // namespace halocline::test
