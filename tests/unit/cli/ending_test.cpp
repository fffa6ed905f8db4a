// SPDX-License-Identifier: BSD-3-Clause
#include "ending.hpp"
#include "comm/local_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <mutex>
#include <new>
#include <stdexcept>

#include "comm/agree.hpp"
#include "halocline/error.hpp"
#include "halocline/session.hpp"
#include "same_command.hpp"
#include "support/error_of.hpp"

namespace {

using namespace cli;
using namespace halocline;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Duration second = std::chrono::seconds(1);

std::exception_ptr made(ErrorKind kind, const std::string& message) {
  try {
    throw_error(kind, message);
  } catch (...) {
    return std::current_exception();
  }
}

TEST(ExitCode, IsTwoForWhatTheUserGaveAndOneForAllElse) {
  for (int kind = 1; kind <= static_cast<int>(ErrorKind::internal); ++kind) {
    const auto error = made(static_cast<ErrorKind>(kind), "x");
    EXPECT_EQ(exit_code_of(error), static_cast<ErrorKind>(kind) == ErrorKind::invalid_argument ? 2 : 1) << kind;
  }
  EXPECT_EQ(exit_code_of(std::make_exception_ptr(std::runtime_error("x"))), 1);
  EXPECT_EQ(exit_code_of(std::make_exception_ptr(7)), 1);
  EXPECT_EQ(message_of(std::make_exception_ptr(std::bad_alloc())), "out of memory");
  EXPECT_EQ(message_of(std::make_exception_ptr(7)), "an exception of an unknown type");
}

TEST(Lines, EachErrorIsPrintedOnceWithItsRank) {
  EXPECT_THAT(lines_of({"", "", ""}), IsEmpty());
  EXPECT_THAT(lines_of({"a", "a", "a"}), ElementsAre("a")) << "all ranks' own";
  EXPECT_THAT(lines_of({"rank 1: a", "rank 1: a", "rank 1: a"}), ElementsAre("rank 1: a")) << "agreed on";
  EXPECT_THAT(lines_of({"rank 1: a", "a", "rank 1: a"}), ElementsAre("rank 1: a")) << "the origin has its own words";
  EXPECT_THAT(lines_of({"", "a", ""}), ElementsAre("rank 1: a"));
  EXPECT_THAT(lines_of({"b", "a", "b"}), ElementsAre("rank 0: b", "rank 1: a"));
  EXPECT_THAT(lines_of({"rank 0: a"}), ElementsAre("a")) << "one rank alone";
  EXPECT_THAT(lines_of({"", "rank x: a"}), ElementsAre("rank 1: rank x: a"));
  std::vector<std::string> many;
  for (char c = 'a'; c < 'm'; ++c) many.emplace_back(1, c);
  EXPECT_EQ(lines_of(many).size(), 9U);
  EXPECT_EQ(lines_of(many).back(), "4 more errors of other ranks");
}

/// Runs `body` on three ranks; its exceptions are the ranks' errors.
template <typename Body>
std::array<Ending, 3> endings_of(Body&& body, Duration timeout = 20 * second) {
  std::array<Ending, 3> endings;
  comm::run_as_threads(3, [&](comm::RankGroup& world) {
    world.set_timeout(timeout);
    const auto group = world.split(0, 0);
    Ended mine;
    try {
      mine.code = body(world);
    } catch (...) {
      mine.error = std::current_exception();
    }
    endings[static_cast<std::size_t>(world.rank().value())] = end_together(*group, mine, second);
  });
  return endings;
}

TEST(Ending, IsTheSameOnAllRanks) {
  for (const Ending& ending : endings_of([](auto&) { return 0; })) {
    EXPECT_EQ(ending.code, 0);
    EXPECT_THAT(ending.errors, IsEmpty());
    EXPECT_FALSE(ending.abandon);
  }
  for (const Ending& ending : endings_of([](auto& world) { return world.rank().value() == 2 ? 1 : 0; })) {
    EXPECT_EQ(ending.code, 1) << "a check failed on one rank";
    EXPECT_THAT(ending.errors, IsEmpty());
  }
}

TEST(Ending, AnAgreedErrorIsPrintedByRankZeroAlone) {
  const auto endings = endings_of([](auto& world) -> int {
    comm::agree_on(world, [&] {
      if (world.rank().value() == 1) throw InvalidArgument("no");
    });
    return 0;
  });
  EXPECT_THAT(endings[0].errors, ElementsAre("rank 1: no"));
  EXPECT_THAT(endings[1].errors, IsEmpty());
  for (const Ending& ending : endings) {
    EXPECT_EQ(ending.code, 2);
    EXPECT_FALSE(ending.abandon);
  }
}

TEST(Ending, AnErrorAfterTheOthersSucceededIsPrinted) {
  const auto endings = endings_of([](auto& world) -> int {
    if (world.rank().value() == 2) throw ResourceError("disk full");
    return 0;
  });
  EXPECT_THAT(endings[0].errors, ElementsAre("rank 2: disk full"));
  for (const Ending& ending : endings) {
    EXPECT_EQ(ending.code, 1);
    EXPECT_TRUE(ending.agreed);
    EXPECT_FALSE(ending.abandon);
  }
}

TEST(Ending, AnErrorOfOneRankAloneIsPrintedByIt) {
  // The other ranks wait in a barrier, longer than their timeout.
  const auto endings = endings_of([](auto& world) -> int {
    if (world.rank().value() == 1) throw InvalidArgument("no");
    world.set_timeout(4 * second);
    world.barrier();
    return 0;
  });
  EXPECT_THAT(endings[1].errors, ElementsAre("rank 1: no"));
  EXPECT_EQ(endings[1].code, 2);
  for (const Ending& ending : endings) {
    EXPECT_TRUE(ending.abandon);
    EXPECT_NE(ending.code, 0);
  }
}

TEST(Ending, ErrorsThatLeaveRanksBehindEndTheJob) {
  const auto endings = endings_of([](auto& world) -> int {
    if (world.rank().value() == 0) throw DeadlineError("late");
    return 0;
  });
  for (const Ending& ending : endings) {
    EXPECT_TRUE(ending.agreed);
    EXPECT_TRUE(ending.abandon);
  }
}

TEST(SameCommand, NamesWhatDiffersOnAllRanks) {
  const auto error_with = [](const std::vector<const char*>& others) {
    std::mutex mutex;
    std::string found;
    comm::run_as_threads(3, [&](comm::RankGroup& world) {
      std::vector<const char*> words{"halocline", "exchange", "--size", "8"};
      if (world.rank().value() == 1) words.insert(words.end(), others.begin(), others.end());
      const std::string error = halocline::test::error_of<InvalidArgument>(
          [&] { check_same_command(world, static_cast<int>(words.size()), words.data()); });
      const std::lock_guard held(mutex);
      if (found.empty()) found = error;
      EXPECT_EQ(found, error);
    });
    return found;
  };
  EXPECT_EQ(error_with({}), "(no error)");
  EXPECT_EQ(error_with({"--verify"}),
            "the command line is 'exchange --size 8 --verify' on rank 1 and 'exchange --size 8' on ranks 0, 2; allowed "
            "is the same on all ranks");
}

TEST(SameCommand, NamesFourRanksAndHowManyMore) {
  comm::run_as_threads(8, [](comm::RankGroup& world) {
    const std::array words{"halocline", world.rank().value() % 7 == 0 ? "place" : "route"};
    EXPECT_EQ(
        halocline::test::error_of<InvalidArgument>([&] { check_same_command(world, 2, words.data()); }),
        "the command line is 'route' on ranks 1, 2, 3, 4 and 2 more and 'place' on ranks 0, 7; allowed is the same "
        "on all ranks");
  });
}

}  // namespace
