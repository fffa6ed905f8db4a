// SPDX-License-Identifier: BSD-3-Clause
// The order of work in finish() with an update, shown by causality and not by times: later work is held until work that
// must not wait for it has run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "exchange/exchange.hpp"
#include "halocline/halocline.hpp"
#include "halocline/session.hpp"
#include "support/manual_clock.hpp"

namespace halocline {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

/// Holds the n-th packing (counted from 1 after arm()) until its clock is moved.
class HoldPacking final : public device::Injector {
 public:
  explicit HoldPacking(int nth) : nth_(nth) {}
  void arm() { armed_ = true; }
  device::Injection before(device::Operation operation, int) override {
    device::Injection injection;
    if (armed_ && operation == device::Operation::copy_list && ++packings_ == nth_) injection.delay = 1h;
    return injection;
  }

 private:
  const int nth_;
  std::atomic<bool> armed_ = false;
  std::atomic<int> packings_ = 0;
};

/// Two ranks that are neighbours in x on both sides, because x is periodic. With one message a direction, rank 0 packs
/// the message for rank 1's upper side first, then the one for its lower side. The last packing is held until rank 1
/// has updated its upper segment. Collects the errors of both ranks, and the boxes that rank 1 updated.
std::string error_with(exchange::Messages messages, std::vector<Box>& updated) {
  const int packings = messages == exchange::Messages::by_direction ? 2 : 1;
  test::ManualClock clock;
  std::mutex one;
  std::string text;
  std::atomic<bool> upper_updated = false;
  // Moves the clock more than once: the held packing may begin to wait after the update that releases it.
  const std::jthread mover([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (upper_updated) clock.advance(2h);
      std::this_thread::sleep_for(1ms);
    }
  });
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    const bool sends_late = comm.rank() == rank_id(0);
    const auto held = std::make_shared<HoldPacking>(packings);
    device::HostOptions host;
    host.ranks_on_node = 2;
    host.workers = 1;
    host.clock = &clock;
    if (sends_late) host.injector = held;
    DomainOptions options;
    options.devices.existing.emplace(device::make_host_backend(host));
    options.boundaries = {Boundary::periodic, Boundary::open, Boundary::open};
    options.routing.policy.order = {routing::Transport::mpi_staged};
    options.routing.messages = messages;
    options.partition.method = partition::Method::given;
    options.partition.node_grid = Vec3{1, 1, 1};
    options.partition.device_grid = Vec3{2, 1, 1};
    options.timeout = messages == exchange::Messages::by_direction ? 30s : 1s;
    try {
      Domain domain({16, 4, 4}, Stencil::box(1, 0, 0), comm, options);
      const auto u = domain.add_field<double>("u", {.buffers = 2});
      domain.realize();
      domain.plan().comm.barrier();
      held->arm();
      auto exchange = domain.start_exchange();
      exchange.finish([&](const Subdomain& s, std::span<const Box> boxes) {
        for (const Box& box : boxes) {
          s.launch(box, [&, upper = box.hi.x == s.owned().hi.x](const Box& part) {
            if (sends_late) return;
            if (upper) upper_updated = true;
            const std::lock_guard lock(one);
            updated.push_back(part);
          });
        }
      });
      domain.synchronize();
      static_cast<void>(u);
      domain.close();
    } catch (const Error& error) {
      const std::lock_guard lock(one);
      text += error.what();
    }
  });
  return text;
}

TEST(OuterOrder, a_segment_is_updated_while_the_message_for_another_is_late) {
  std::vector<Box> updated;
  EXPECT_EQ(error_with(exchange::Messages::by_direction, updated), "");
  EXPECT_THAT(updated, ElementsAre(Box{{15, 0, 0}, {16, 4, 4}}, Box{{8, 0, 0}, {9, 4, 4}}));
}

TEST(OuterOrder, with_one_message_a_neighbour_no_side_arrives_before_another) {
  std::vector<Box> updated;
  EXPECT_THAT(error_with(exchange::Messages::by_neighbour, updated), HasSubstr("is late by more than 1 s"));
  EXPECT_THAT(updated, ElementsAre());
}

/// Holds the interior until all boundary segments have run.
class BesideInterior : public testing::TestWithParam<routing::Transport> {};

TEST_P(BesideInterior, boundary_segments_do_not_wait_for_the_interior) {
  device::HostOptions host;
  host.devices = 2;
  host.workers = 4;
  DomainOptions options;
  options.devices.existing.emplace(device::make_host_backend(host));
  options.routing.policy.order = {GetParam(), routing::Transport::self, routing::Transport::mpi_staged};
  Domain domain({16, 12, 12}, Stencil::box(1), options);
  const auto u = domain.add_field<double>("u", {.buffers = 2});
  domain.realize();
  std::atomic<std::int64_t> outer = 0;
  std::atomic<int> early = 0;
  std::int64_t all = 0;
  for (const auto& s : domain.subdomains()) all += s.owned().volume() - s.interior().volume();
  const auto caller = std::this_thread::get_id();
  auto exchange = domain.start_exchange();
  for (const auto& s : domain.subdomains()) {
    s.stream().host_function([&] {
      if (std::this_thread::get_id() == caller)
        return;  // in finish(), where workers were late: nobody else launches segments
      const auto end = std::chrono::steady_clock::now() + 10s;
      while (outer < all && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
      early += outer < all ? 1 : 0;
    });
  }
  exchange.finish([&](const Subdomain& s, std::span<const Box> boxes) {
    for (const Box& box : boxes) s.launch(box, [&](const Box& part) { outer += part.volume(); });
  });
  std::atomic<std::int64_t> seen = 0;
  for (const auto& s : domain.subdomains()) s.stream().host_function([&] { seen = outer.load(); });
  domain.synchronize();
  static_cast<void>(u);
  EXPECT_EQ(early, 0) << "interiors that gave up waiting for the outer segments";
  EXPECT_EQ(seen, all) << "later work comes behind them";
  domain.close();
}

INSTANTIATE_TEST_SUITE_P(routes, BesideInterior,
                         testing::Values(routing::Transport::direct, routing::Transport::peer_copy,
                                         routing::Transport::mpi_staged),
                         [](const auto& param) { return std::string(routing::to_string(param.param)); });

TEST(OuterOrder, later_work_waits_for_slow_boundary_segments) {
  DomainOptions options;
  options.devices.per_rank = 2;
  options.routing.policy.order = {routing::Transport::mpi_staged};
  Domain domain({16, 12, 12}, Stencil::box(1), options);
  static_cast<void>(domain.add_field<double>("u", {.buffers = 2}));
  domain.realize();
  std::atomic<int> running = 0;
  std::atomic<int> wrong = 0;
  for (int step = 0; step < 5; ++step) {
    auto exchange = domain.start_exchange();
    exchange.finish([&](const Subdomain& s, std::span<const Box>) {
      ++running;
      s.stream().host_function([&] {
        std::this_thread::sleep_for(2ms);
        --running;
      });
    });
    domain.subdomains().front().stream().synchronize();
    domain.subdomains().back().stream().host_function([&] { wrong += running == 0 ? 0 : 1; });
    domain.synchronize();
  }
  EXPECT_EQ(wrong, 0);
  domain.close();
}

TEST(OuterOrder, in_place_all_come_after_the_exchange_in_the_subdomains_stream) {
  DomainOptions options;
  options.devices.per_rank = 2;
  options.update = overlap::Update::in_place;
  Domain domain({16, 12, 12}, Stencil::box(1), options);
  static_cast<void>(domain.add_field<double>("u"));
  domain.realize();
  auto exchange = domain.start_exchange();
  std::size_t calls = 0;
  exchange.finish([&](const Subdomain& s, std::span<const Box> boxes) {
    const Subdomain& own = domain.subdomains()[calls++];
    EXPECT_EQ(s.id(), own.id());
    EXPECT_EQ(&s.stream(), &own.stream());
    EXPECT_THAT(boxes, testing::ElementsAreArray(own.boundary()));
  });
  EXPECT_EQ(calls, 2u);
  EXPECT_FALSE(domain.subdomains().empty());
  domain.close();
}

TEST(OuterOrder, what_an_update_throws_reaches_the_caller_and_ends_the_domain) {
  DomainOptions options;
  options.devices.per_rank = 2;
  options.routing.policy.order = {routing::Transport::mpi_staged};
  Domain domain({16, 12, 12}, Stencil::box(1), options);
  static_cast<void>(domain.add_field<double>("u", {.buffers = 2}));
  domain.realize();
  auto exchange = domain.start_exchange();
  EXPECT_THROW(exchange.finish([](const Subdomain&, std::span<const Box>) { throw InvalidArgument("planted"); }),
               InvalidArgument);
  EXPECT_THROW(domain.start_exchange(), InvalidArgument);
}

}  // namespace
}  // namespace halocline
