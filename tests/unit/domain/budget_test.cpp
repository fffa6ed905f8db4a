// SPDX-License-Identifier: BSD-3-Clause
// How many multiprocessors of a device exchanges request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "halocline/halocline.hpp"
#include "support/error_of.hpp"
#include "support/forwarding_backend.hpp"

namespace halocline {
namespace {

using testing::ElementsAre;

/// The budgets of exchanges that have the device to themselves, of those that other work may run concurrently with, and of those that the
/// next kernel starts with: two of each.
std::vector<int> budgets(int multiprocessors) {
  const auto backend =
      std::make_shared<test::ForwardingBackend>(device::make_host_backend(device::HostOptions()), test::Said());
  DomainOptions options;
  options.devices.existing.emplace(backend);
  options.tuning.multiprocessors = multiprocessors;
  Domain domain({6, 5, 4}, Stencil::box(1), options);
  static_cast<void>(domain.add_field<float>("u"));
  domain.realize();
  for (int i = 0; i < 2; ++i) {
    domain.exchange();
    auto exchange = domain.start_exchange();
    exchange.finish();
    domain.exchange_awaited();
  }
  domain.close();
  return backend->budgets();
}

TEST(ExchangeBudget, leaves_most_of_a_device_to_what_may_run_beside_it) {
  EXPECT_THAT(budgets(0), ElementsAre(0, 16, 16));
}

TEST(ExchangeBudget, is_what_the_user_says) { EXPECT_THAT(budgets(5), ElementsAre(5, 5, 5)); }

/// A domain that is realized, makes an exchange, and is closed again.
std::shared_ptr<test::ForwardingBackend> used_by_a_domain(int devices, const exchange::Tuning& tuning) {
  device::HostOptions host;
  host.devices = devices;
  const auto backend = std::make_shared<test::ForwardingBackend>(device::make_host_backend(host), test::Said());
  DomainOptions options;
  options.devices.existing.emplace(backend);
  options.tuning = tuning;
  Domain domain({8, 8, 8}, Stencil::box(1), options);
  static_cast<void>(domain.add_field<float>("u"));
  domain.realize();
  domain.exchange();
  domain.close();
  return backend;
}

/// The devices and parts for which the exchanges of a domain reserve room.
std::vector<std::pair<int, int>> rooms(int devices, const exchange::Tuning& tuning) {
  return used_by_a_domain(devices, tuning)->rooms();
}

TEST(ExchangeRoom, is_reserved_on_each_device_that_waits_for_another) {
  exchange::Tuning tuning;
  EXPECT_THAT(rooms(2, tuning), ElementsAre(std::pair(0, 2), std::pair(1, 2)));
  EXPECT_THAT(rooms(1, tuning), ElementsAre()) << "nothing to wait for";
  tuning.domains_at_once = 5;
  EXPECT_THAT(rooms(2, tuning), ElementsAre(std::pair(0, 5), std::pair(1, 5)));
  tuning.domains_at_once = 1;
  EXPECT_THAT(rooms(2, tuning), ElementsAre()) << "never beside another domain's";
}

/// A kernel that starts with an exchange may fill the device.
TEST(ExchangeRoom, is_left_to_the_next_kernel_where_no_other_exchange_can_need_it) {
  exchange::Tuning tuning;
  EXPECT_THAT(used_by_a_domain(1, tuning)->next_may_start(), ElementsAre(true)) << "waits for no other device";
  EXPECT_THAT(used_by_a_domain(2, tuning)->next_may_start(), ElementsAre(false, false));
  tuning.domains_at_once = 1;
  EXPECT_THAT(used_by_a_domain(2, tuning)->next_may_start(), ElementsAre(true, true));
}

/// rooms() of rank 0 of two ranks with a device each.
std::vector<std::pair<int, int>> rooms_by(const std::vector<routing::Transport>& order, int domains_at_once) {
  std::vector<std::pair<int, int>> found;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    device::HostOptions host;
    host.ranks_on_node = 2;
    const auto backend = std::make_shared<test::ForwardingBackend>(device::make_host_backend(host), test::Said());
    DomainOptions options;
    options.devices.existing.emplace(backend);
    options.routing.policy.order = order;
    options.tuning.domains_at_once = domains_at_once;
    Domain domain({8, 8, 8}, Stencil::box(1), comm, options);
    static_cast<void>(domain.add_field<float>("u"));
    domain.realize();
    domain.accumulate();
    domain.synchronize();
    if (comm.rank() == rank_id(0)) found = backend->rooms();
    domain.close();
  });
  return found;
}

TEST(ExchangeRoom, without_blocks_is_what_streams_need_that_wait_for_another_process) {
  using enum routing::Transport;
  EXPECT_THAT(rooms_by({self, ipc_copy}, 2), ElementsAre(std::pair(0, 0)));
  EXPECT_THAT(rooms_by({self, ipc_copy}, 1), ElementsAre()) << "never beside another domain's";
  EXPECT_THAT(rooms_by({self, direct}, 2), testing::Each(std::pair(0, 2))) << "has room in any case";
  EXPECT_THAT(rooms_by({self, mpi_staged}, 2), ElementsAre());
}

TEST(ExchangeRoom, is_for_one_domain_or_more) {
  exchange::Tuning tuning;
  tuning.domains_at_once = 0;
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { static_cast<void>(rooms(2, tuning)); }),
              testing::HasSubstr("domains_at_once is 0; allowed is 1 or more"));
}

}  // namespace
}  // namespace halocline
