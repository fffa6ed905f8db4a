// SPDX-License-Identifier: BSD-3-Clause
// Several domains at once on the same GPUs, which each GPU exchanges in a different order.
#include <gmock/gmock.h>

#include <array>
#include <iostream>

#include "comm/local_ranks.hpp"
#include "gpu/again.hpp"
#include "gpu/exchange/gpus.hpp"
#include "halocline/halocline.hpp"
#include "halocline/session.hpp"
#include "support/error_of.hpp"

namespace halocline::test {
namespace {

/// Each GPU has half of it: with two fields of 8 bytes and radius 3, an exchange has more tiles than blocks.
constexpr Vec3 shared_extent{192, 192, 256};

struct One {
  std::unique_ptr<Domain> domain;
  std::array<Field<double>, 2> fields;
};

double value(const Vec3& p, int which, int round) {
  Vec3 q = p;
  for (int dim = 0; dim < 3; ++dim) q[dim] = (p[dim] + shared_extent[dim]) % shared_extent[dim];
  return static_cast<double>(q.x + shared_extent.x * (q.y + shared_extent.y * q.z)) + which / 8. + round / 64.;
}

void fill(const One& one, int which, int round) {
  for (const Subdomain& s : one.domain->subdomains()) {
    for (const auto field : one.fields) {
      const auto cells = to_host(s, field);
      for_each_cell(cells.view().with_halo(),
                    [&](const Vec3& p) { cells(p) = s.owned().contains(p) ? value(p, which, round) : -1; });
      cells.upload(s, field);
    }
  }
}

std::int64_t wrong_cells(const One& one, int which, int round) {
  std::int64_t wrong = 0;
  for (const Subdomain& s : one.domain->subdomains()) {
    for (const auto field : one.fields) {
      const auto cells = to_host(s, field);
      for_each_cell(cells.view().with_halo(),
                    [&](const Vec3& p) { wrong += cells(p) == value(p, which, round) ? 0 : 1; });
    }
  }
  return wrong;
}

/// A rank's domains, each with a separate backend, as by default.
std::vector<One> make_domains(comm::RankGroup& comm, int count) {
  std::vector<One> domains;
  for (int i = 0; i < count; ++i) {
    DomainOptions options;
    options.devices.existing.emplace(gpus_of_rank(static_cast<int>(comm.rank().value()), 1));
    options.routing.policy.order = {routing::Transport::self, routing::Transport::direct};
    options.timeout = std::chrono::seconds(20);
    options.tuning.domains_at_once = count;
    auto domain = std::make_unique<Domain>(shared_extent, Stencil::box(3), comm, options);
    const std::array fields{domain->add_field<double>("u"), domain->add_field<double>("v")};
    domain->realize();
    domains.push_back({std::move(domain), fields});
  }
  return domains;
}

/// Rank 0 exchanges them in order, `in_a_row` times each, rank 1 in the opposite order; the host does not wait in
/// between.
void exchange_in_opposite_orders(comm::RankGroup& comm, int count, int in_a_row) {
  std::vector<One> domains = make_domains(comm, count);
  // A domain's first exchange is prepared, and the host waits for the GPU.
  for (const One& one : domains) {
    one.domain->exchange();
    one.domain->synchronize();
  }
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < count; ++i) fill(domains[static_cast<std::size_t>(i)], i, round);
    for (int repeat = 0; repeat < 20; ++repeat) {
      for (int i = 0; i < count; ++i) {
        const int which = comm.rank().value() == 0 ? i : count - 1 - i;
        for (int k = 0; k < in_a_row; ++k) domains[static_cast<std::size_t>(which)].domain->exchange();
      }
    }
    for (const One& one : domains) one.domain->synchronize();
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(wrong_cells(domains[static_cast<std::size_t>(i)], i, round), 0)
          << "domain " << i << " of " << count << ", rank " << comm.rank().value() << ", round " << round;
    }
  }
  for (One& one : domains) one.domain->close();
}

class GpuSeveralDomains : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    HALOCLINE_NEEDS_GPUS(2);
    if (const std::string why = without_peer_access(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(GpuSeveralDomains, AreExchangedInOppositeOrders) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    exchange_in_opposite_orders(comm, GetParam(), 1);
    exchange_in_opposite_orders(comm, GetParam(), 2);
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

/// In a separate process, where all streams of a GPU share one hardware queue: exchanges are right, or refused by name.
TEST(GpuOneQueue, DISABLED_InAProcessOfItsOwn) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    try {
      exchange_in_opposite_orders(comm, 2, 2);
    } catch (const CapabilityError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("CUDA_DEVICE_MAX_CONNECTIONS is 1; allowed is 4 or more"), std::string::npos) << text;
      if (comm.rank().value() == 0) std::cout << "refused: " << text << "\n";
    }
  });
}

TEST(GpuOneQueue, SeveralDomainsWorkOrAreRefusedByName) {
  HALOCLINE_NEEDS_GPUS(2);
  const SecondRun run = run_again("CUDA_DEVICE_MAX_CONNECTIONS=1", "GpuOneQueue.DISABLED_InAProcessOfItsOwn");
  EXPECT_TRUE(run.passed) << run.output;
  const std::size_t refused = run.output.find("refused: ");
  std::cout << (refused == std::string::npos
                    ? "not refused\n"
                    : run.output.substr(refused, run.output.find('\n', refused) - refused + 1));
}

}  // namespace
}  // namespace halocline::test
