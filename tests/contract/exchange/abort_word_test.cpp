// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/abort_word.hpp"

#include "ranks.hpp"

namespace halocline::test {
namespace {

using exchange::AbortWord;

/// What rank 1 of three raises for an error, seen by all of them; rank 2 raises another one later.
void expect_raised(const std::exception_ptr& error, AbortWord::Cause cause, const std::string& reason) {
  const auto all = outcomes(3, [&](comm::RankGroup& comm) {
    AbortWord abort(comm);
    EXPECT_FALSE(abort.raised());
    EXPECT_FALSE(abort.raised_for(cause));
    comm.barrier();
    if (comm.rank() == rank_id(1)) abort.raise(comm.rank(), error);
    comm.barrier();
    if (comm.rank() == rank_id(2)) abort.raise("rank 2: later");
    comm.barrier();
    EXPECT_TRUE(abort.raised());
    EXPECT_TRUE(abort.raised_for(cause));
    EXPECT_EQ(abort.reason(), reason);
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

TEST(AbortWord, TellsLatenessFromOtherFailures) {
  expect_raised(std::make_exception_ptr(DeadlineError("a message is late")), AbortWord::Cause::lateness,
                "rank 1: a message is late");
  expect_raised(std::make_exception_ptr(CommunicationError("a message is gone")), AbortWord::Cause::failure,
                "rank 1: a message is gone");
  expect_raised(std::make_exception_ptr(std::bad_alloc()), AbortWord::Cause::failure, "rank 1: std::bad_alloc");
}

}  // namespace
}  // namespace halocline::test
