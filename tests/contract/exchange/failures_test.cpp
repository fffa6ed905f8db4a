// SPDX-License-Identifier: BSD-3-Clause
// Failures with ranks as threads: during set-up, and in the middle of an exchange.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "exchange/exchange.hpp"
#include "ranks.hpp"
#include "support/error_of.hpp"
#include "ways.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

class SetUp : public testing::TestWithParam<std::tuple<device::Operation, int>> {};

TEST_P(SetUp, a_failure_on_one_rank_is_the_same_error_on_all) {
  const auto [operation, nth] = GetParam();
  const auto all = outcomes(4, [&](comm::RankGroup& comm) {
    const bool faulty = comm.rank() == rank_id(2);
    Domain domain(
        {16, 16, 16}, Stencil::box(1), comm,
        options_with(faulty ? std::make_shared<FailNth>(operation, nth) : nullptr, routing::Transport::ipc_copy, 20s));
    domain.add_field<double>("u");
    domain.realize();
    domain.close();
  });
  for (const Outcome& outcome : all) {
    EXPECT_THAT(outcome.text, AllOf(HasSubstr("rank 2"), HasSubstr("planted")));
    EXPECT_EQ(outcome.text, all[0].text);
    EXPECT_EQ(outcome.kind, all[0].kind);
    EXPECT_LT(outcome.took, 10s);
  }
}

INSTANTIATE_TEST_SUITE_P(operations, SetUp,
                         testing::Combine(testing::Values(device::Operation::allocate,
                                                          device::Operation::export_memory),
                                          testing::Values(1, 2, 5, 9)));

class Late : public testing::TestWithParam<std::tuple<routing::Transport, bool>> {};

/// Rank 1 stops before an exchange that the others begin, and stays alive until they have failed.
TEST_P(Late, a_stopped_rank_is_an_error_that_names_pair_transport_and_step) {
  const auto [transport, graphs] = GetParam();
  const auto options = [transport, graphs] { return options_with(nullptr, transport, 1s, graphs); };
  const auto all = outcomes_beside_a_stopped_rank(options, [](Domain& domain) {
    // Poisoned: the next call fails at once, with the same error.
    const auto again = std::chrono::steady_clock::now();
    EXPECT_THROW(domain.start_exchange(), Error);
    EXPECT_LT(std::chrono::steady_clock::now() - again, 500ms);
  });
  EXPECT_EQ(all[1].text, "");
  bool deadline = false;
  for (const int rank : {0, 2}) {
    const Outcome& outcome = all[static_cast<std::size_t>(rank)];
    EXPECT_LT(outcome.took, 8s);
    // The first rank to fail names what is late; the other one may report the first one's error.
    EXPECT_THAT(outcome.text, HasSubstr(std::string(routing::to_string(transport))));
    EXPECT_THAT(outcome.text, HasSubstr("subdomain "));
    EXPECT_THAT(outcome.text, HasSubstr("rank 1"));
    EXPECT_THAT(outcome.text, testing::AnyOf(HasSubstr("epoch 4"), HasSubstr("exchange 4")));
    deadline = deadline || outcome.kind == ErrorKind::deadline;
  }
  EXPECT_TRUE(deadline);
}

INSTANTIATE_TEST_SUITE_P(transports, Late, all_ways, named);

TEST(LateMessages, of_a_rank_are_four_and_the_number_of_others) {
  std::latch given_up(1);
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    DomainOptions options = options_with(nullptr, routing::Transport::mpi_staged, 1s);
    options.routing.messages = exchange::Messages::by_direction;
    Domain domain({8, 8, 16}, Stencil::box(1), comm, options);
    domain.add_field<double>("u");
    domain.realize();
    if (comm.rank() == rank_id(1)) return given_up.wait();
    const auto at_the_end =
        std::unique_ptr<std::latch, void (*)(std::latch*)>(&given_up, [](auto* l) { l->count_down(); });
    domain.exchange();
    domain.synchronize();
  });
  const std::string& text = all[0].text;
  // Nine directions lead to the other rank's subdomain above, and nine below; each has a sender and a receiver here.
  EXPECT_THAT(text, HasSubstr("; 32 more with rank 1"));
  std::size_t named = 0;
  for (std::size_t at = 0; (at = text.find("subdomain ", at)) != std::string::npos; ++at) ++named;
  EXPECT_EQ(named, 4u) << text;
}

/// A device whose failure a capture, or a launch of captured steps, finds first: other ranks get it while the rank keeps its domain.
/// Rank 1 does not begin the exchange.
TEST(FailedExchanges, give_their_error_each_time_that_they_are_finished) {
  std::atomic<bool> over{false};
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    Domain domain({8, 8, 16}, Stencil::box(1), comm, options_with(nullptr, routing::Transport::mpi_staged, 1s));
    domain.add_field<double>("u");
    domain.realize();
    if (comm.rank() == rank_id(1)) {
      const auto begun = std::chrono::steady_clock::now();
      while (!over && std::chrono::steady_clock::now() - begun < 20s) std::this_thread::sleep_for(1ms);
      return;
    }
    ExchangeHandle exchange = domain.start_exchange();
    const std::string error = error_of<DeadlineError>([&] { exchange.finish(); });
    EXPECT_THAT(error, HasSubstr("rank 1"));
    EXPECT_EQ(error_of<DeadlineError>([&] { exchange.finish(); }), error);
    over = true;
  });
  EXPECT_THAT(all, testing::Each(testing::Field(&Outcome::text, "")));
}

TEST(FailedDevices, that_captures_and_launches_find_are_an_error_of_other_ranks_before_the_deadline) {
  for (const bool launches : {false, true}) {
    Meeting ended;
    const auto all = outcomes(2, [&](comm::RankGroup& comm) {
      const auto failures = std::make_shared<FailNth>(device::Operation::host_function, 0);
      Domain domain({8, 8, 16}, Stencil::box(1), comm, options_with(failures, routing::Transport::direct, 8s, true));
      domain.add_field<double>("u");
      domain.realize();
      Capture capture = domain.capture();
      domain.exchange();
      const Graph graph = capture.finish();
      graph.launch();
      domain.synchronize();
      comm.barrier();
      if (comm.rank() == rank_id(0)) {
        try {
          domain.exchange();
          domain.synchronize();
        } catch (const Error&) {
          ended.arrive();
          throw;
        }
        return;
      }
      failures->fail_next();
      for (const Subdomain& s : domain.subdomains()) s.stream().host_function([] {});
      std::this_thread::sleep_for(100ms);
      try {
        if (launches) graph.launch();
        else static_cast<void>(domain.capture());
      } catch (const Error&) {
        static_cast<void>(ended.wait_for(1));
        throw;
      }
    });
    EXPECT_THAT(all[1].text, HasSubstr("planted"));
    EXPECT_THAT(all[0].text, HasSubstr("rank 1")) << launches;
    EXPECT_LT(all[0].took, 6s) << launches;
  }
}

/// What was captured before the error is no graph.
TEST(FailedCaptures, are_the_error_of_finish_too) {
  Domain domain({8, 8, 8}, Stencil::box(1), options_with(nullptr, routing::Transport::direct, 20s, true));
  domain.add_field<double>("u");
  domain.realize();
  Capture capture = domain.capture();
  const std::string error = error_of<Error>([&] {
    domain.start_exchange().finish([](const Subdomain&, std::span<const Box>) { throw DeviceError("planted"); });
  });
  EXPECT_THAT(error, HasSubstr("planted"));
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(capture.finish()); }), error);
}

class Disagree : public testing::TestWithParam<std::tuple<routing::Transport, bool>> {};

/// One rank swaps its buffers and the others do not: an error on the affected ranks, never wrong data.
TEST_P(Disagree, buffers_that_are_swapped_on_one_rank_only_are_an_error) {
  const auto [transport, graphs] = GetParam();
  const auto all = outcomes(2, [&, transport, graphs](comm::RankGroup& comm) {
    Domain domain({8, 8, 16}, Stencil::box(1), comm, options_with(nullptr, transport, 2s, graphs));
    const auto u = domain.add_field<double>("u", {.buffers = 2});
    domain.realize();
    domain.exchange();
    domain.synchronize();
    if (comm.rank() == rank_id(1)) domain.swap(u);
    domain.exchange();
    domain.synchronize();
  });
  bool protocol = false;
  for (const Outcome& outcome : all) {
    EXPECT_NE(outcome.text, "");
    protocol = protocol || outcome.kind == ErrorKind::protocol;
    EXPECT_LT(outcome.took, 10s);
  }
  EXPECT_TRUE(protocol) << all[0].text << " | " << all[1].text;
}

INSTANTIATE_TEST_SUITE_P(transports, Disagree, all_ways, named);

}  // namespace
}  // namespace halocline::test
