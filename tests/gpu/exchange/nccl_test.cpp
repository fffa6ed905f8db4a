// SPDX-License-Identifier: BSD-3-Clause
// What messages by nccl do where a rank does not come, and where several domains exchange at once.
#include <gmock/gmock.h>

#include <chrono>
#include <latch>
#include <optional>
#include <string>

#include "comm/local_ranks.hpp"
#include "gpu/exchange/gpus.hpp"
#include "gpu/exchange/several_domains.hpp"
#include "halocline/error.hpp"
#include "halocline/session.hpp"
#include "support/captured.hpp"

namespace halocline::test {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

class GpuNccl : public testing::Test {
 protected:
  void SetUp() override {
    HALOCLINE_NEEDS_GPUS(2);
    const Verdict usable = gpus_of_rank(0, 1)->communicators();
    if (!usable.yes) GTEST_SKIP() << usable.why_not;
  }
};

/// NCCL's kernel would wait for ever.
class GpuNcclLate : public GpuNccl, public testing::WithParamInterface<bool> {};

TEST_P(GpuNcclLate, a_rank_that_does_not_come_is_an_error_that_names_pair_transport_and_step) {
  std::latch given_up(1);
  std::string text;
  steady_clock::duration took{};
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    DomainOptions options;
    options.timeout = 2s;
    options.devices.existing.emplace(gpus_of_rank(static_cast<int>(comm.rank().value()), 1));
    options.routing.policy.order = {routing::Transport::self, routing::Transport::nccl};
    Domain domain({32, 32, 64}, Stencil::box(1), comm, options);
    domain.add_field<float>("u");
    domain.realize();
    std::optional<Graph> graph;
    if (GetParam()) graph = captured(domain, [&] { domain.exchange(); });
    const auto exchange = [&] {
      if (GetParam()) {
        graph->launch();
      } else {
        domain.exchange();
      }
      domain.synchronize();
    };
    for (int i = 0; i < 3; ++i) exchange();
    if (comm.rank() == rank_id(1)) return given_up.wait();
    const auto begun = steady_clock::now();
    try {
      exchange();
    } catch (const DeadlineError& error) {
      text = error.what();
    }
    took = steady_clock::now() - begun;
    given_up.count_down();
  });
  EXPECT_THAT(text, testing::AllOf(testing::HasSubstr("exchange 4 is late by more than 2 s"),
                                   testing::HasSubstr("subdomain 1 -> 0 (nccl, rank 1 -> rank 0)")));
  EXPECT_LT(took, 3s);
}
INSTANTIATE_TEST_SUITE_P(ways, GpuNcclLate, testing::Bool(),
                         [](const auto& param) { return param.param ? "replayed" : "one_by_one"; });

TEST_F(GpuNccl, domains_are_exchanged_in_opposite_orders) {
  comm::run_as_threads(
      2, [](comm::RankGroup& comm) { exchange_in_opposite_orders(comm, 2, 1, routing::Transport::nccl); });
}

}  // namespace
}  // namespace halocline::test
