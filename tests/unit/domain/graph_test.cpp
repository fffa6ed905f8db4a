// SPDX-License-Identifier: BSD-3-Clause
// Exchanges that are captured in a graph and replayed, alternating with eager ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "support/captured.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using namespace std::chrono_literals;
using testing::ThrowsMessage;

/// One process, several subdomains.
class Captured : public testing::Test {
 protected:
  static constexpr Vec3 extent{12, 10, 8};
  void make(std::vector<routing::Transport> order, int devices = 4) {
    DomainOptions options;
    options.devices.per_rank = devices;
    options.routing.policy.order = std::move(order);
    domain = std::make_unique<Domain>(extent, Stencil::box(1), options);
    u = domain->add_field<double>("u", {.buffers = 2});
    sum = domain->add_reduction(u.id, Reduce::sum);
    domain->realize();
  }
  ~Captured() override {
    recording.reset();
    if (domain && !failed) domain->close();
  }

  /// Adds 1 to every owned cell of the current array and exchanges it, all in stream order.
  void step() {
    for (const Subdomain& s : domain->subdomains()) {
      s.launch(s.owned(),
               [view = s.view(u)](const Box& part) { for_each_cell(part, [&](const Vec3& p) { view(p) += 1; }); });
    }
    domain->exchange();
  }

  void capture(const std::function<void()>& work) { recording.emplace(test::captured(*domain, work)); }
  void replay() { recording->launch(); }

  void expect_all(int set_ahead, double offset) {
    domain->synchronize();
    for (const Subdomain& s : domain->subdomains()) {
      const auto view = s.view(u, set_ahead);
      for_each_cell(view.with_halo(), [&](const Vec3& p) {
        Vec3 q = p;
        for (int dim = 0; dim < 3; ++dim) q[dim] = (p[dim] + extent[dim]) % extent[dim];
        ASSERT_EQ(view(p), static_cast<double>(q.x + 100 * q.y + 10000 * q.z) + offset) << to_string(p);
      });
    }
  }
  void fill() {
    for (const Subdomain& s : domain->subdomains()) {
      for (int ahead : {0, 1}) {
        const auto view = s.view(u, ahead);
        for_each_cell(view.owned(),
                      [&](const Vec3& p) { view(p) = static_cast<double>(p.x + 100 * p.y + 10000 * p.z); });
      }
    }
  }

  std::unique_ptr<Domain> domain;
  bool failed = false;  ///< after an error there is nothing to close
  Field<double> u;
  reduction_id sum;
  std::optional<Graph> recording;
};

TEST_F(Captured, replays_and_eager_exchanges_mix) {
  for (const auto transport : {routing::Transport::direct, routing::Transport::peer_copy}) {
    make({transport, routing::Transport::self});
    fill();
    step();
    expect_all(0, 1);
    capture([&] { step(); });
    expect_all(0, 1);  // nothing ran
    replay();
    replay();
    step();
    replay();
    expect_all(0, 5);
    recording.reset();
    domain->close();
    domain.reset();
  }
}

TEST_F(Captured, a_full_cycle_of_both_buffers_replays) {
  make({routing::Transport::direct, routing::Transport::self});
  fill();
  capture([&] {
    for (int i = 0; i < 2; ++i) {
      step();
      domain->swap(u);
    }
  });
  for (int i = 0; i < 3; ++i) replay();
  expect_all(0, 3);
  expect_all(1, 3);
}

TEST_F(Captured, a_frozen_parity_is_an_error_and_not_wrong_data) {
  make({routing::Transport::direct, routing::Transport::self});
  fill();
  capture([&] { step(); });
  replay();
  expect_all(0, 1);
  domain->swap(u);
  // The graph still exchanges the buffer that was current at its capture. The failure is asynchronous: launch() may
  // already throw it.
  const auto replay_and_wait = [&] {
    replay();
    domain->synchronize();
  };
  EXPECT_THROW(replay_and_wait(), ProtocolError);
  failed = true;
}

TEST_F(Captured, a_cycle_that_begins_with_a_swap_mixes_with_eager_steps) {
  for (const auto transport : {routing::Transport::direct, routing::Transport::peer_copy}) {
    make({transport, routing::Transport::self});
    fill();
    const auto swap_and_step = [&] {
      domain->swap(u);
      step();
    };
    swap_and_step();
    capture([&] {
      for (int i = 0; i < 2; ++i) swap_and_step();
    });
    replay();
    swap_and_step();
    swap_and_step();
    replay();
    expect_all(0, 4);
    expect_all(1, 3);
    recording.reset();
    domain->close();
    domain.reset();
  }
}

TEST_F(Captured, a_cycle_that_is_launched_at_another_buffer_is_an_error) {
  make({routing::Transport::direct, routing::Transport::self});
  fill();
  capture([&] {
    for (int i = 0; i < 2; ++i) {
      domain->swap(u);
      step();
    }
  });
  domain->swap(u);
  const auto replay_and_wait = [&] {
    replay();
    domain->synchronize();
  };
  EXPECT_THROW(replay_and_wait(), ProtocolError);
  failed = true;
}

TEST_F(Captured, a_route_that_needs_the_host_is_refused_before_anything_is_enqueued) {
  make({routing::Transport::mpi_staged}, 2);
  try {
    capture([&] { (void)domain->start_exchange(); });
    FAIL();
  } catch (const CapabilityError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("captured"), testing::HasSubstr("mpi_staged")));
  }
  fill();
  domain->exchange();
  expect_all(0, 0);
}

TEST_F(Captured, half_a_cycle_of_swaps_is_refused) {
  make({routing::Transport::direct}, 2);
  fill();
  try {
    capture([&] {
      step();
      domain->swap(u);
    });
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("swap field 'u' from buffer 0 to buffer 1; allowed are whole cycles of its 2"));
  }
  EXPECT_EQ(internals(*domain).current_buffer(u.id), 0);
  domain->exchange();
  expect_all(0, 0);
}

TEST_F(Captured, an_exchange_that_is_not_finished_is_refused_and_forgotten) {
  make({routing::Transport::direct}, 2);
  fill();
  Capture unfinished = domain->capture();
  ExchangeHandle handle = domain->start_exchange();
  EXPECT_EQ(test::error_of<InvalidArgument>([&] { return unfinished.finish(); }),
            "captured steps start an exchange that they do not finish; allowed are whole exchanges");
  EXPECT_EQ(test::error_of<InvalidArgument>([&] { return unfinished.finish(); }),
            "finish() of a capture that has ended; allowed is once for each capture(), before close()");
  EXPECT_EQ(test::error_of<InvalidArgument>([&] { handle.finish(); }),
            "finish() was called without start_exchange() before");
  domain->exchange();
  expect_all(0, 0);
}

TEST_F(Captured, an_accumulation_and_a_reduction_are_of_the_buffer_that_was_current) {
  for (const bool reduces : {true, false}) {
    make({routing::Transport::direct, routing::Transport::self}, 2);
    fill();
    domain->accumulate();
    capture([&] {
      if (reduces) {
        domain->reduce(sum);
      } else {
        domain->accumulate();
      }
    });
    replay();
    domain->synchronize();
    domain->swap(u);
    EXPECT_THAT(test::error_of<Error>([&] {
                  replay();
                  domain->synchronize();
                }),
                testing::HasSubstr(reduces ? "reduce() of buffer 0 of field 'u' ran when another buffer was current"
                                           : "accumulate() of buffer 0 of field 'u' ran when another buffer was"));
    recording.reset();
  }
  failed = true;
}

TEST_F(Captured, what_steps_throw_ends_the_capture) {
  make({routing::Transport::direct}, 3);
  fill();
  EXPECT_THROW(capture([&] {
                 step();
                 domain->swap(u);
                 throw InvalidArgument("no more");
               }),
               InvalidArgument);
  EXPECT_EQ(internals(*domain).current_buffer(u.id), 0);
  domain->exchange();
  expect_all(0, 0);
}

/// Whatever ends first: see Graph.
TEST_F(Captured, a_graph_with_work_under_way_may_outlive_its_domain) {
  for (const bool closed : {true, false}) {
    make({routing::Transport::direct, routing::Transport::self});
    fill();
    capture([&] { step(); });
    std::atomic<bool> begun = false;
    domain->subdomains().front().stream().host_function([&] {
      begun = true;
      std::this_thread::sleep_for(20ms);
    });
    for (int i = 0; i < 3; ++i) replay();
    while (!begun) std::this_thread::yield();
    if (closed) domain->close();
    if (!closed) domain.reset();
    EXPECT_THAT([&] { replay(); }, ThrowsMessage<InvalidArgument>(
                                       testing::HasSubstr("launch() of steps whose domain is closed; allowed are")));
    recording.reset();
    domain.reset();
  }
}

}  // namespace
}  // namespace halocline
