// SPDX-License-Identifier: BSD-3-Clause
// How a rank leaves, with ranks as threads: after a failure, or in the middle of the work without close(). The errors
// of the others, and that no memory is freed while pending work uses it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "ranks.hpp"
#include "support/error_of.hpp"
#include "support/forwarding_backend.hpp"
#include "ways.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

class Leaving : public testing::TestWithParam<std::tuple<routing::Transport, bool>> {};

/// Rank 1 destroys its domain while the others begin an exchange with it. Its thread continues, as a process would.
TEST_P(Leaving, a_rank_that_leaves_without_close_is_an_error_of_the_others_at_once) {
  const auto [transport, graphs] = GetParam();
  constexpr int ranks = 3;
  Meeting given_up;
  const auto all = outcomes(ranks, [&, transport, graphs](comm::RankGroup& comm) {
    auto domain =
        std::make_unique<Domain>(Vec3{8, 8, 24}, Stencil::box(1), comm, options_with(nullptr, transport, 60s, graphs));
    domain->add_field<double>("u");
    domain->realize();
    for (int step = 0; step < 3; ++step) domain->exchange();
    domain->synchronize();
    comm.barrier();
    if (comm.rank() == rank_id(1)) {
      std::this_thread::sleep_for(50ms);  // by now the others wait
      domain.reset();
      EXPECT_TRUE(given_up.wait_for(ranks - 1));
      return;
    }
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_THAT(error_of<CommunicationError>([&] {
                  domain->exchange();
                  domain->synchronize();
                }),
                HasSubstr("rank 1 left without close()"));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 2s);
    // Destroying the domain is also immediate: it does not wait for other ranks.
    domain->close();
    domain.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 2s);
    given_up.arrive();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

/// Rank 1 destroys its domain while its own exchange waits for rank 0, which has not started it.
TEST_P(Leaving, a_rank_is_not_held_up_by_an_exchange_of_its_own) {
  const auto [transport, graphs] = GetParam();
  Meeting left;
  const auto all = outcomes(2, [&, transport, graphs](comm::RankGroup& comm) {
    auto domain =
        std::make_unique<Domain>(Vec3{8, 8, 16}, Stencil::box(1), comm, options_with(nullptr, transport, 60s, graphs));
    domain->add_field<double>("u");
    domain->realize();
    domain->exchange();
    domain->synchronize();
    comm.barrier();
    if (comm.rank() == rank_id(1)) {
      static_cast<void>(domain->start_exchange());
      std::this_thread::sleep_for(50ms);  // by now it waits
      const auto begun = std::chrono::steady_clock::now();
      domain.reset();
      EXPECT_LT(std::chrono::steady_clock::now() - begun, 2s);
      left.arrive();
      return;
    }
    EXPECT_TRUE(left.wait_for(1));
    EXPECT_THAT(error_of<CommunicationError>([&] {
                  domain->exchange();
                  domain->synchronize();
                }),
                HasSubstr("rank 1 left without close()"));
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

/// Nothing is enqueued after another rank has failed, even for an exchange that only devices drive.
TEST_P(Leaving, no_exchange_is_started_after_another_rank_has_failed) {
  const auto [transport, graphs] = GetParam();
  Meeting failed;
  const auto all = outcomes(2, [&, transport, graphs](comm::RankGroup& comm) {
    const bool first = comm.rank() == rank_id(0);
    auto notes = std::make_shared<DelaySome>(device::Operation::advance);
    Domain domain({8, 8, 16}, Stencil::box(1), comm, options_with(notes, transport, 60s, graphs));
    domain.add_field<double>("u");
    domain.realize();
    domain.exchange();
    domain.synchronize();
    comm.barrier();
    if (first) {
      domain.subdomains()[0].stream().host_function([] { throw std::runtime_error("planted"); });
      EXPECT_THAT(error_of<DeviceError>([&] { domain.synchronize(); }), HasSubstr("planted"));
      failed.arrive();
      EXPECT_TRUE(failed.wait_for(2));
      return;
    }
    EXPECT_TRUE(failed.wait_for(1));
    const std::string error = error_of<CommunicationError>([&] { (void)domain.start_exchange(); });
    // A proxy of net may get the news before this rank looks at the abort word.
    const char* const what =
        transport == routing::Transport::net ? "exchange 2" : "exchange 2 is not started: rank 0: ";
    EXPECT_THAT(error, AllOf(HasSubstr(what), HasSubstr("rank 0: "), HasSubstr("planted")));
    EXPECT_EQ(error.find("planted"), error.rfind("planted")) << error;
    // Every later call throws the same error.
    EXPECT_EQ(error_of<CommunicationError>([&] { domain.synchronize(); }), error);
    EXPECT_EQ(error_of<CommunicationError>([&] { static_cast<void>(domain.subdomains()); }), error);
    failed.arrive();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

/// Rank 1 fails in close(), for which it waits for rank 2 in vain; rank 0 begins an exchange later, and gets rank 1's reason.
TEST(LateLeaving, a_rank_that_leaves_after_an_error_passes_it_on) {
  Meeting given_up;
  const auto all = outcomes(3, [&](comm::RankGroup& comm) {
    auto domain = std::make_unique<Domain>(Vec3{8, 8, 24}, Stencil::box(1), comm,
                                           options_with(nullptr, routing::Transport::direct, 2s));
    domain->add_field<double>("u");
    domain->realize();
    comm.barrier();
    if (comm.rank() == rank_id(2)) {
      EXPECT_TRUE(given_up.wait_for(2));
    } else if (comm.rank() == rank_id(1)) {
      EXPECT_NE(error_of<DeadlineError>([&] { domain->close(); }), "");
      domain.reset();
      given_up.arrive();
    } else {
      std::this_thread::sleep_for(1500ms);
      EXPECT_THAT(error_of<CommunicationError>([&] {
                    domain->exchange();
                    domain->synchronize();
                  }),
                  testing::AllOf(HasSubstr("rank 1 left without close() after an error: all_gather"),
                                 HasSubstr("was not done before its deadline")));
      given_up.arrive();
    }
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

INSTANTIATE_TEST_SUITE_P(transports, Leaving, all_ways, named);

/// Rank 1 times out and closes its domain; the store for which it waited arrives later.
TEST(AfterAFailure, close_frees_nothing_that_others_still_write_into) {
  Meeting stored;
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    const bool late = comm.rank() == rank_id(0);
    auto delays = std::make_shared<DelaySome>(device::Operation::copy_list);
    DomainOptions options = options_with(delays, routing::Transport::direct, 1s);  // also for realize()
    options.routing.policy.order = {routing::Transport::direct, routing::Transport::self};
    options.tuning.packets_at_most_bytes = 0;  // rows, stored directly into the halo
    Domain domain({64, 64, 64}, Stencil::box(2), comm, options);
    domain.add_field<double>("u");
    domain.realize();
    domain.exchange();
    domain.synchronize();
    comm.barrier();
    if (late) {
      delays->delay = Duration(3s);
      EXPECT_THROW(
          {
            domain.exchange();
            domain.synchronize();
            domain.exchange();
          },
          Error);
      std::this_thread::sleep_for(4s);  // its stores have ended, despite the failure
      stored.arrive();
    } else {
      EXPECT_THROW(
          {
            domain.exchange();
            domain.synchronize();
          },
          DeadlineError);
      domain.close();
      EXPECT_THAT(error_of<InvalidArgument>([&] { domain.exchange(); }), HasSubstr("after close()"));
      EXPECT_TRUE(stored.wait_for(1));
    }
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

/// Launch threads are delayed while the caller unwinds: their queued work refers to lists that the exchange owns.
TEST(Unwinding, threads_that_launch_come_to_an_end_before_what_their_work_uses) {
  for (const auto transport : {routing::Transport::peer_copy, routing::Transport::direct}) {
    DomainOptions options = options_with(nullptr, transport, 5s);
    set_launch_threads(options, true);
    const auto leave = [&] {
      Domain domain({8, 8, 16}, Stencil::box(1), options);
      domain.add_field<double>("u");
      domain.realize();
      domain.exchange();
      domain.synchronize();
      for (const Subdomain& subdomain : domain.subdomains()) {
        stream_of(subdomain).enqueue([](device::Stream&) { std::this_thread::sleep_for(100ms); });
      }
      domain.exchange();
      throw InvalidArgument("planted");
    };
    EXPECT_EQ(error_of<InvalidArgument>(leave), "planted");
  }
}

/// An update that throws something other than a std::exception also fails the exchange.
TEST(Updates, whatever_they_throw_fails_the_exchange_and_is_told) {
  for (const auto update : {overlap::Update::double_buffered, overlap::Update::in_place}) {
    Meeting thrown;
    const auto all = outcomes(2, [&](comm::RankGroup& comm) {
      DomainOptions options = options_with(nullptr, routing::Transport::direct, 60s);
      options.update = update;
      Domain domain({8, 8, 16}, Stencil::box(1), comm, options);
      domain.add_field<double>("u");
      domain.realize();
      auto exchange = domain.start_exchange();
      comm.barrier();
      if (comm.rank() == rank_id(0)) {
        EXPECT_THROW(exchange.finish([](const Subdomain&, std::span<const Box>) { throw 7; }), int);
        EXPECT_THROW(domain.exchange(), int) << "the domain has failed";
        thrown.arrive();
        EXPECT_TRUE(thrown.wait_for(2));
        return;
      }
      exchange.finish();
      EXPECT_TRUE(thrown.wait_for(1));
      EXPECT_THAT(error_of<CommunicationError>([&] { (void)domain.start_exchange(); }),
                  HasSubstr("rank 0: an exception of an unknown type"));
      thrown.arrive();
    });
    for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
  }
}

/// Whichever event of the set-up one rank fails to create: all ranks get the same error, and none hangs.
TEST(SetUpEvents, a_failure_on_one_rank_is_the_same_error_on_all) {
  bool done = false;
  for (int nth = 1; !done; ++nth) {
    ASSERT_LT(nth, 100);
    const auto all = outcomes(2, [&](comm::RankGroup& comm) {
      DomainOptions options = options_with(nullptr, routing::Transport::direct, 20s);
      auto backend = std::make_shared<ForwardingBackend>(options.devices.existing->backend(), Said{});
      if (comm.rank() == rank_id(1)) {
        backend->before_event = [left = nth]() mutable {
          if (--left == 0) throw DeviceError("planted");
        };
      }
      options.devices.existing.emplace(backend);
      Domain domain({8, 8, 16}, Stencil::box(1), comm, options);
      domain.add_field<double>("u");
      domain.realize();
      domain.close();
    });
    done = all[1].text.empty();
    EXPECT_EQ(all[0].text, all[1].text) << "event " << nth;
    if (!done) {
      EXPECT_THAT(all[0].text, AllOf(HasSubstr("rank 1"), HasSubstr("planted"))) << "event " << nth;
    }
    for (const Outcome& outcome : all) EXPECT_LT(outcome.took, 10s) << "event " << nth;
  }
}

}  // namespace
}  // namespace halocline::test
