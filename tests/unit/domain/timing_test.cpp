// SPDX-License-Identifier: BSD-3-Clause
// Times of exchanges: the part that other work hides, which exchanges count, and the reset.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "comm/local_ranks.hpp"
#include "halocline/halocline.hpp"
#include "support/captured.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

DomainOptions timed(int devices) {
  return {.devices = {.kind = DeviceKind::host, .per_rank = devices}, .time_exchanges = true};
}

TEST(ExchangeTimes, AreOfCompleteExchangesOnce) {
  Domain domain({8, 8, 8}, Stencil::box(1), timed(2));
  const auto u = domain.add_field<double>("u", {.buffers = 2});
  domain.realize();
  EXPECT_TRUE(domain.timing().empty());
  for (int i = 0; i < 3; ++i) {
    domain.exchange();
    domain.swap(u);
  }
  domain.exchange({{u}});
  domain.synchronize();
  const auto times = domain.timing();
  ASSERT_EQ(times.size(), 4u);
  for (const ExchangeTime& time : times) {
    EXPECT_GT(time.total, Duration::zero());
    EXPECT_GE(time.total, time.exposed);
    EXPECT_GE(time.exposed, Duration::zero());
  }
  EXPECT_TRUE(domain.timing().empty());
  auto started = domain.start_exchange();
  EXPECT_TRUE(domain.timing().empty());
  started.finish();
  domain.synchronize();
  EXPECT_EQ(domain.timing().size(), 1u);
  domain.close();
}

TEST(ExchangeTimes, LeaveOutWhatOtherWorkHides) {
  Domain domain({8, 8, 8}, Stencil::box(1), timed(2));
  domain.add_field<double>("u");
  domain.realize();
  auto exchange = domain.start_exchange();
  for (const Subdomain& s : domain.subdomains()) {
    s.stream().host_function([] { std::this_thread::sleep_for(30ms); });
  }
  exchange.finish();
  domain.synchronize();
  const auto times = domain.timing();
  ASSERT_EQ(times.size(), 1u);
  EXPECT_GE(times[0].total, 30ms);
  EXPECT_GE(times[0].total - times[0].exposed, 20ms);  // the longer of the two subdomains
  domain.close();
}

TEST(ExchangeTimes, ShowAWaitForALateRank) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    Domain domain({8, 8, 8}, Stencil::box(1), comm, timed(1));
    domain.add_field<double>("u");
    domain.realize();
    domain.exchange();
    domain.synchronize();
    static_cast<void>(domain.timing());
    comm.barrier();
    if (comm.rank() == rank_id(1)) std::this_thread::sleep_for(60ms);
    domain.exchange();
    domain.synchronize();
    const auto times = domain.timing();
    ASSERT_EQ(times.size(), 1u);
    if (comm.rank() == rank_id(0)) {
      EXPECT_GE(times[0].exposed, 40ms);
    }
    domain.close();
  });
}

TEST(ExchangeTimes, AreNotOfGraphs) {
  Domain domain({8, 8, 8}, Stencil::box(1), timed(1));
  domain.add_field<double>("u");
  domain.realize();
  {
    const Graph graph = test::captured(domain, [&] { domain.exchange(); });
    graph.launch();
    domain.synchronize();
    EXPECT_TRUE(domain.timing().empty());
    domain.exchange();
    domain.synchronize();
    EXPECT_EQ(domain.timing().size(), 1u);
  }
  domain.close();
}

TEST(ExchangeTimes, WithTheUpdateOfBoundaries) {
  Domain domain({12, 12, 12}, Stencil::box(1), timed(2));
  domain.add_field<double>("u", {.buffers = 2});
  domain.realize();
  auto exchange = domain.start_exchange();
  exchange.finish([](const Subdomain& s, std::span<const Box>) {
    s.stream().host_function([] { std::this_thread::sleep_for(20ms); });
  });
  domain.synchronize();
  const auto times = domain.timing();
  ASSERT_EQ(times.size(), 1u);
  EXPECT_GE(times[0].exposed, 20ms);
  domain.close();
}

TEST(ExchangeTimes, AreBoundedInNumber) {
  Domain domain({4, 4, 4}, Stencil::box(1), timed(1));
  domain.add_field<float>("u");
  domain.realize();
  for (int i = 0; i < 4100; ++i) domain.exchange();
  domain.synchronize();
  EXPECT_EQ(domain.timing().size(), 4096u);
  domain.close();
}

TEST(ExchangeTimes, AreAskedForBefore) {
  Domain domain({8, 8, 8}, Stencil::box(1));
  domain.add_field<float>("u");
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { return domain.timing(); }), HasSubstr("timing()"));
  domain.realize();
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { return domain.timing(); }),
              HasSubstr("DomainOptions::time_exchanges must be true"));
  domain.close();
}

}  // namespace
}  // namespace halocline
