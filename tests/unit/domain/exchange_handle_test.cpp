// SPDX-License-Identifier: BSD-3-Clause
// Guarantees of the exchange handle other than finish().
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "comm/local_ranks.hpp"
#include "halocline/halocline.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using testing::HasSubstr;

DomainOptions only(routing::Transport transport) {
  DomainOptions options;
  options.devices.kind = DeviceKind::host;
  options.routing.policy.order = {transport};
  return options;
}

/// One field of a domain that has one subdomain on each rank; halos are 1 cell wide.
struct Made {
  Made(comm::RankGroup& comm, const DomainOptions& options) : domain({4, 4, 8}, Stencil::star(1), comm, options) {
    u = domain.add_field<int>("u");
    domain.realize();
    const auto view = domain.subdomains()[0].view(u);
    for_each_cell(view.owned(), [&](const Vec3& p) { view(p) = static_cast<int>(p.z); });
  }
  [[nodiscard]] int below() const {
    const auto view = domain.subdomains()[0].view(u);
    return view(0, 0, view.owned().lo.z - 1);
  }
  Domain domain;
  Field<int> u;
};

TEST(ExchangeHandle, is_ready_at_once_where_no_message_needs_the_host) {
  const auto comm = comm::serial();
  Made made(*comm, only(routing::Transport::self));
  auto exchange = made.domain.start_exchange();
  EXPECT_TRUE(exchange.is_ready());
  exchange.finish();
  made.domain.synchronize();
  EXPECT_EQ(made.below(), 7);
  made.domain.close();
}

TEST(ExchangeHandle, is_ready_once_the_messages_have_arrived) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    Made made(comm, only(routing::Transport::mpi_staged));
    const bool first = comm.rank() == rank_id(0);
    std::optional<ExchangeHandle> exchange;
    if (first) {
      exchange.emplace(made.domain.start_exchange());
      EXPECT_FALSE(exchange->is_ready()) << "the other rank has not started";
    }
    comm.barrier();
    if (!first) exchange.emplace(made.domain.start_exchange());
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!exchange->is_ready() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_TRUE(exchange->is_ready());
    exchange->finish();
    made.domain.synchronize();
    EXPECT_EQ(made.below(), first ? 7 : 3);
    made.domain.close();
  });
}

TEST(ExchangeHandle, is_finished_once) {
  const auto comm = comm::serial();
  Made made(*comm, only(routing::Transport::self));
  auto started = made.domain.start_exchange();
  auto exchange = std::move(started);
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { started.finish(); }), HasSubstr("finished before"));
  exchange.finish();
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { exchange.finish(); }), HasSubstr("finished before"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { (void)exchange.is_ready(); }), HasSubstr("finished before"));
  made.domain.exchange();
  made.domain.close();
}

/// Destructors do not communicate and therefore finish no exchange.
TEST(ExchangeHandle, leaves_an_exchange_under_way_that_is_not_finished) {
  const auto comm = comm::serial();
  Made made(*comm, only(routing::Transport::self));
  { [[maybe_unused]] const auto dropped = made.domain.start_exchange(); }
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { made.domain.exchange(); }), HasSubstr("twice"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] {
                made.domain.use_tiles({2, 2, 2});
              }),
              HasSubstr("while an exchange is under way"));
  made.domain.close();
}

}  // namespace
}  // namespace halocline
