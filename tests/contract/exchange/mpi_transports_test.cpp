// The contract suite with ranks as processes; a rank shape is launched once and runs all cases.
#include <gtest/gtest.h>

#include "contract/exchange/contract.hpp"
#include "support/mpi_world.hpp"

namespace halocline::test {
namespace {

class MpiContract : public testing::TestWithParam<routing::Transport> {};

TEST_P(MpiContract, every_cell_is_as_geometry_says) {
  const routing::Transport transport = GetParam();
  comm::Communicator& world = mpi_world();
  std::int64_t messages = 0;
  for (const HaloCase& c : contract_cases(transport, world.size())) {
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

INSTANTIATE_TEST_SUITE_P(all, MpiContract, testing::ValuesIn(routing::all_transports),
                         [](const auto& param) { return std::string(routing::to_string(param.param)); });

}  // namespace
}  // namespace halocline::test
