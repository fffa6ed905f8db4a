// SPDX-License-Identifier: BSD-3-Clause
// Several domains at once on the same GPUs, which each GPU exchanges in a different order.
#include <gmock/gmock.h>

#include <iostream>

#include "comm/local_ranks.hpp"
#include "gpu/again.hpp"
#include "gpu/exchange/several_domains.hpp"
#include "halocline/session.hpp"
#include "support/error_of.hpp"

namespace halocline::test {
namespace {

class GpuSeveralDomains : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    HALOCLINE_NEEDS_GPUS(2);
    if (const std::string why = without_peer_access(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(GpuSeveralDomains, AreExchangedInOppositeOrders) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    exchange_in_opposite_orders(comm, GetParam(), 1, routing::Transport::direct);
    exchange_in_opposite_orders(comm, GetParam(), 2, routing::Transport::direct);
  });
}
INSTANTIATE_TEST_SUITE_P(domains, GpuSeveralDomains, testing::Values(2, 3, 4, 5),
                         [](const auto& param) { return std::to_string(param.param) + "_domains"; });

/// By default two exchanges fit.
TEST(GpuThirdDomain, IsRefusedByName) {
  HALOCLINE_NEEDS_GPUS(2);
  if (const std::string why = without_peer_access(); !why.empty()) GTEST_SKIP() << why;
  DomainOptions options;
  options.devices.existing.emplace(gpus_of_rank(0, 2));
  options.routing.policy.order = {routing::Transport::self, routing::Transport::direct};
  std::vector<std::unique_ptr<Domain>> domains;
  const auto add = [&] {
    domains.push_back(std::make_unique<Domain>(Vec3{32, 32, 32}, Stencil::box(1), options));
    domains.back()->add_field<float>("u");
    domains.back()->realize();
  };
  add();
  add();
  EXPECT_THAT(error_of<ResourceError>(add),
              testing::HasSubstr("has no room for the exchanges of another domain: 2 domains"));
  domains.pop_back();
  options.tuning.domains_at_once = 1;
  add();
  domains.back()->exchange();
  domains.back()->synchronize();
  domains.front()->close();
  options.tuning.domains_at_once = 2;
  add();
  for (const auto& domain : domains) domain->close();
}

void exchange_or_refuse(routing::Transport transport) {
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    try {
      exchange_in_opposite_orders(comm, 2, 2, transport);
    } catch (const CapabilityError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("CUDA_DEVICE_MAX_CONNECTIONS is 1; allowed is 4 or more"), std::string::npos) << text;
      if (comm.rank().value() == 0) std::cout << "refused: " << text << "\n";
    }
  });
}

/// In a separate process, where all streams of a GPU share one hardware queue: exchanges are right, or refused by name.
TEST(GpuOneQueue, DISABLED_OfDirect) { exchange_or_refuse(routing::Transport::direct); }
TEST(GpuOneQueue, DISABLED_OfIpcCopy) { exchange_or_refuse(routing::Transport::ipc_copy); }

TEST(GpuOneQueue, SeveralDomainsWorkOrAreRefusedByName) {
  HALOCLINE_NEEDS_GPUS(2);
  for (const char* one : {"GpuOneQueue.DISABLED_OfDirect", "GpuOneQueue.DISABLED_OfIpcCopy"}) {
    const SecondRun run = run_again("CUDA_DEVICE_MAX_CONNECTIONS=1", one);
    EXPECT_TRUE(run.passed) << one << ": " << run.output;
    const std::size_t refused = run.output.find("refused: ");
    std::cout << one << ": "
              << (refused == std::string::npos
                      ? "not refused\n"
                      : run.output.substr(refused, run.output.find('\n', refused) - refused + 1));
  }
}

}  // namespace
}  // namespace halocline::test
