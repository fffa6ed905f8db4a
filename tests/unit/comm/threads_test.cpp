// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "comm/local_ranks.hpp"
#include "comm/requests.hpp"
#include "contract/comm/comm_contract.hpp"
#include "core/clock.hpp"
#include "halocline/session.hpp"
#include "support/little_address_space.hpp"
#include "support/manual_clock.hpp"

namespace halocline::test {
namespace {

using comm::RankGroup;
using comm::run_as_threads;
using testing::HasSubstr;
using namespace std::chrono_literals;

TEST(Threads, RunEachRankOnce) {
  std::atomic<int> sum = 0;
  run_as_threads(5, [&](RankGroup& comm) { sum += 1 << (4 * comm.rank().value()); });
  EXPECT_EQ(sum, 0x11111);
  EXPECT_THROW(run_as_threads(0, [](RankGroup&) {}), InvalidArgument);
}

TEST(Threads, ARankThatThrowsEndsTheOthersWaitsAndItsErrorIsTheOneSeen) {
  for (const int thrower : {0, 2, 3}) {
    std::atomic<int> told = 0;
    const auto begin = std::chrono::steady_clock::now();
    const auto message = message_of<DeviceError>([&] {
      run_as_threads(4, [&](RankGroup& comm) {
        if (comm.rank() == rank_id(thrower)) throw DeviceError("the cause");
        std::vector<std::byte> bytes(1);
        try {
          const auto request = comm.receive(bytes, rank_id(thrower), 0);
          finish(comm, *request);
        } catch (const CommunicationError& error) {
          EXPECT_THAT(error.what(), HasSubstr("receive from rank " + std::to_string(thrower) +
                                              ", tag 0: that rank has ended with an error: the cause"));
          ++told;
        }
        comm.barrier();  // throws, too
      });
    });
    EXPECT_EQ(message, "the cause");
    EXPECT_EQ(told, 3);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  }
}

/// Leaves address space for a few stacks only, so that some ranks start and wait for others that cannot.
[[noreturn]] void run_more_ranks_than_fit() {
  std::optional<halocline::test::LittleAddressSpace> limit(std::in_place);
  std::atomic<int> started = 0, told = 0;
  const std::string error = message_of<ResourceError>([&] {
    run_as_threads(500, [&](RankGroup& comm) {
      ++started;
      std::vector<std::byte> bytes(1);
      const std::string gone = message_of<CommunicationError>([&] {
        const auto request = comm.receive(bytes, rank_id(499), 0);
        finish(comm, *request);
      });
      told += gone.find("that rank has ended before it started") != std::string::npos ? 1 : 0;
    });
  });
  limit.reset();
  std::fprintf(stderr, "%s; %s\n", started > 0 && told == started ? "all told" : "not told", error.c_str());
  ::_exit(3);
}

TEST(ThreadsDeathTest, WithoutRoomForAllEndTheRanksThatHaveStarted) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more address space than this leaves them";
#endif
  EXPECT_EXIT(run_more_ranks_than_fit(), testing::ExitedWithCode(3),
              "all told; cannot start a thread for each of 500 ranks: Resource temporarily unavailable");
}

TEST(Threads, AValueOfAnotherTypeIsRefused) {
  EXPECT_EQ(message_of<InternalError>([] {
              run_as_threads(2, [](RankGroup& comm) {
                if (comm.rank() == rank_id(0)) static_cast<void>(comm::gather_value(comm, 1));
                else static_cast<void>(comm::gather_value(comm, 1.0));
              });
            }),
            "gather_value: a rank gave another type");
}

TEST(Threads, WhatWasSentBeforeTheEndIsStillReceived) {
  EXPECT_THROW(run_as_threads(2,
                              [](RankGroup& comm) {
                                std::vector<std::byte> bytes(1, std::byte{3}), in(1);
                                if (comm.rank() == rank_id(0)) {
                                  (void)comm.send(bytes, rank_id(1), 0);
                                  throw DeviceError("x");
                                }
                                std::this_thread::sleep_for(20ms);
                                const auto request = comm.receive(in, rank_id(0), 0);
                                finish(comm, *request);
                                EXPECT_EQ(in, bytes);
                              }),
               DeviceError);
}

TEST(Threads, ARankThatReturnsEarlyEndsTheOthersWaits) {
  EXPECT_THAT(message_of<CommunicationError>([] {
                run_as_threads(3, [](RankGroup& comm) {
                  if (comm.rank() != rank_id(1)) comm.barrier();
                });
              }),
              HasSubstr("rank 1 has ended without sending it"));
}

TEST(Threads, DeadlinesFollowTheGivenClock) {
  ManualClock clock;
  std::atomic<bool> ended = false;
  const auto begin = std::chrono::steady_clock::now();
  run_as_threads(2,
                 [&](RankGroup& comm) {
                   EXPECT_EQ(&comm.clock(), &clock);
                   const auto group = comm.split(0, 0);
                   group->set_timeout(1h);
                   if (comm.rank() == rank_id(1)) {
                     EXPECT_THROW(group->barrier(), DeadlineError);
                     ended = true;
                   } else {
                     clock.advance(59min);
                     std::this_thread::sleep_for(50ms);
                     EXPECT_FALSE(ended) << "before the deadline, however long it takes";
                     // The wait may begin only after the first advance of the clock.
                     while (!ended) {
                       clock.advance(1h);
                       std::this_thread::yield();
                     }
                   }
                 },
                 {&clock, 1000h});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

TEST(Threads, CollectivesInAnotherOrderAreNoticed) {
  EXPECT_THAT(message_of<ProtocolError>([] {
                run_as_threads(2, [](RankGroup& comm) {
                  if (comm.rank() == rank_id(0)) comm.barrier();
                  else (void)comm.all_gather({});
                });
              }),
              HasSubstr("collectives must be called in the same order"));
}

TEST(Threads, AReductionOfUnequalLengthsIsRefusedOnAllRanks) {
  std::atomic<int> refused = 0;
  run_as_threads(3, [&](RankGroup& comm) {
    std::vector<double> values(comm.rank() == rank_id(2) ? 2 : 1);
    EXPECT_THAT(message_of<InvalidArgument>([&] { comm.all_reduce(values, comm::Reduction::sum); }),
                HasSubstr("rank 2 gave 16 bytes, rank 0 gave 8"));
    ++refused;
  });
  EXPECT_EQ(refused, 3);
}

TEST(WaitUntil, AsksOnceMoreAfterTheDeadline) {
  ManualClock clock;
  const Deadline deadline(clock, 1s);
  int asked = 0;
  // The condition becomes true while the process sleeps past the deadline.
  comm::wait_until(
      [&] {
        if (asked++ == 0) {
          clock.advance(2s);
          return false;
        }
        return true;
      },
      deadline, "x");
  EXPECT_EQ(asked, 2);
}

TEST(WaitUntil, NamesWhatWasLateAndPassesErrorsOn) {
  ManualClock clock;
  EXPECT_THAT(
      message_of<DeadlineError>([&] { comm::wait_until([] { return false; }, Deadline(clock, 0s), "the halo"); }),
      HasSubstr("the halo was not done before its deadline"));
  EXPECT_THROW(comm::wait_until([]() -> bool { throw DeviceError("x"); }, Deadline(), "x"), DeviceError);
}

TEST(WaitUntil, BacksOff) {
  int asked = 0;
  EXPECT_THROW(comm::wait_until(
                   [&] {
                     ++asked;
                     return false;
                   },
                   Deadline(Clock::steady(), 300ms), "x"),
               DeadlineError);
  EXPECT_LT(asked, 200 + 300 * 10) << "a spinning wait asks millions of times";
  EXPECT_GT(asked, 20) << "naps are of milliseconds, also where others keep the cores busy";
}

}  // namespace
}  // namespace halocline::test
