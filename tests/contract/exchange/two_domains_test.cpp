// SPDX-License-Identifier: BSD-3-Clause
// Two domains whose exchanges are under way at the same time, with ranks as threads: they may be finished in any order, another on
// each rank, as with requests of MPI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <thread>

#include "halocline/halocline.hpp"
#include "ranks.hpp"
#include "ways.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// A device for each of two ranks of a node.
DomainOptions only(routing::Transport transport) {
  device::HostOptions host;
  host.devices = 1;
  host.ranks_on_node = 2;
  DomainOptions options;
  options.devices.existing.emplace(device::make_host_backend(host));
  options.timeout = 5s;
  options.routing.policy.order = {transport, routing::Transport::self};
  return options;
}

/// One field of a domain with one subdomain on each of two ranks.
struct Made {
  Made(comm::RankGroup& comm, const DomainOptions& options, int first_value)
      : domain({6, 6, 12}, Stencil::box(1), comm, options), value(first_value + static_cast<int>(comm.rank().value())) {
    u = domain.add_field<int>("u");
    domain.realize();
    other = first_value + 1 - static_cast<int>(comm.rank().value());
  }
  void fill() const {
    const auto view = domain.subdomains()[0].view(u);
    for_each_cell(view.with_halo(), [&](const Vec3& p) { view(p) = view.owned().contains(p) ? value : -1; });
  }
  /// Starts behind work that takes some time, so that nothing is packed yet when start_exchange() returns.
  [[nodiscard]] ExchangeHandle start() {
    domain.subdomains()[0].stream().host_function([] { std::this_thread::sleep_for(100ms); });
    return domain.start_exchange();
  }
  /// Halo cells in z that are not the other rank's.
  [[nodiscard]] int wrong() const {
    const auto view = domain.subdomains()[0].view(u);
    int wrong = 0;
    for (const std::int64_t z : {view.owned().lo.z - 1, view.owned().hi.z}) {
      for (std::int64_t y = -1; y < 7; ++y) {
        for (std::int64_t x = -1; x < 7; ++x) wrong += view(x, y, z) == other ? 0 : 1;
      }
    }
    return wrong;
  }
  Domain domain;
  Field<int> u;
  int value;
  int other = 0;
};

class TwoDomains : public testing::TestWithParam<routing::Transport> {};

TEST_P(TwoDomains, are_finished_in_another_order_on_each_rank) {
  const auto all = outcomes(2, [](comm::RankGroup& comm) {
    Made a(comm, only(GetParam()), 10);
    Made b(comm, only(GetParam()), 20);
    for (int step = 0; step < 2; ++step) {
      a.fill();
      b.fill();
      std::array<ExchangeHandle, 2> handles{a.start(), b.start()};
      const std::size_t first = comm.rank().index();
      handles[first].finish();
      handles[1 - first].finish();
      for (Made* made : {&a, &b}) {
        made->domain.synchronize();
        EXPECT_EQ(made->wrong(), 0);
      }
      comm.barrier();
    }
    a.domain.close();
    b.domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

TEST_P(TwoDomains, are_asked_in_another_order_on_each_rank) {
  const auto all = outcomes(2, [](comm::RankGroup& comm) {
    Made a(comm, only(GetParam()), 10);
    Made b(comm, only(GetParam()), 20);
    std::array<ExchangeHandle, 2> handles{a.start(), b.start()};
    const std::size_t first = comm.rank().index();
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!handles[first].is_ready() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_TRUE(handles[first].is_ready());
    for (ExchangeHandle& handle : handles) handle.finish();
    a.domain.close();
    b.domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

/// A failure of one domain does not come out of the other's functions.
TEST_P(TwoDomains, fail_by_themselves) {
  Meeting failed;
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    Made a(comm, only(GetParam()), 10);
    Made b(comm, only(GetParam()), 20);
    a.fill();
    auto of_a = a.start();
    std::optional<ExchangeHandle> of_b;
    if (comm.rank() == rank_id(1)) of_b.emplace(b.domain.start_exchange());
    comm.barrier();
    if (comm.rank() == rank_id(0)) {
      b.domain.subdomains()[0].stream().host_function([] { throw std::runtime_error("planted"); });
      EXPECT_THROW(b.domain.synchronize(), DeviceError);
      failed.arrive();
    }
    EXPECT_TRUE(failed.wait_for(1));
    of_a.finish();
    a.domain.synchronize();
    EXPECT_EQ(a.wrong(), 0);
    if (of_b) {
      EXPECT_THROW(
          {
            of_b->finish();
            b.domain.synchronize();
          },
          CommunicationError);
    }
    a.domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

INSTANTIATE_TEST_SUITE_P(transports, TwoDomains, testing::ValuesIn(transports_between_ranks()),
                         [](const auto& param) { return std::string(routing::to_string(param.param)); });

}  // namespace
}  // namespace halocline::test
