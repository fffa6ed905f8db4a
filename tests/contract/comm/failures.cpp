// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <new>
#include <tuple>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "comm/in_step.hpp"
#include "comm/requests.hpp"
#include "contract/comm/comm_contract.hpp"

namespace halocline::test {
namespace {

using comm::RankGroup;
using testing::HasSubstr;
using namespace std::chrono_literals;

/// agree() with the given ranks throwing; returns the kind and message that this rank gets.
template <typename Throw>
std::pair<ErrorKind, std::string> agreed(RankGroup& comm, std::int64_t first_failing, Throw&& fail) {
  try {
    comm::agree_on(comm, [&] {
      if (comm.rank().value() >= first_failing) fail();
    });
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  ADD_FAILURE() << "agreed although ranks failed";
  return {};
}

TEST_P(CommContract, AgreesOnSuccess) {
  on_ranks([](RankGroup& comm) {
    int runs = 0;
    comm::agree_on(comm, [&] { ++runs; });
    EXPECT_EQ(runs, 1);
  });
}

TEST_P(CommContract, AllRanksThrowTheErrorOfTheLowestThatFailed) {
  on_ranks([](RankGroup& comm) {
    for (int kind = 1; kind <= 8; ++kind) {
      for (std::int64_t first = 0; first < comm.size(); ++first) {
        const auto seen = agreed(comm, first, [&] {
          throw_error(static_cast<ErrorKind>(kind), "of " + std::to_string(comm.rank().value()));
        });
        EXPECT_EQ(seen.first, static_cast<ErrorKind>(kind));
        EXPECT_EQ(seen.second, "rank " + std::to_string(first) + ": of " + std::to_string(first));
      }
    }
    EXPECT_THROW(comm::agree_on(comm, [] { throw DeviceError("x"); }), DeviceError) << "the type, not only the kind";
    EXPECT_FALSE(comm.poisoned());
  });
}

TEST_P(CommContract, AWaitThatFailedDoesNotHideWhatItWaitedFor) {
  on_ranks([](RankGroup& comm) {
    const auto last = comm.size() - 1;
    for (const ErrorKind wait : {ErrorKind::deadline, ErrorKind::communication}) {
      const auto seen = agreed(comm, 0, [&] {
        if (comm.rank().value() != last) throw_error(wait, "waiting for rank " + std::to_string(last));
        throw std::bad_alloc();
      });
      EXPECT_EQ(seen, std::pair(ErrorKind::resource, "rank " + std::to_string(last) + ": out of memory"));
    }
  });
}

TEST_P(CommContract, ForeignExceptionsBecomeOnesThatTravel) {
  on_ranks([](RankGroup& comm) {
    const auto last = comm.size() - 1;
    const std::string who = "rank " + std::to_string(last) + ": ";
    EXPECT_EQ(agreed(comm, last, [] { throw std::bad_alloc(); }),
              std::pair(ErrorKind::resource, who + "out of memory"));
    EXPECT_EQ(agreed(comm, last, [] { throw std::runtime_error("odd"); }), std::pair(ErrorKind::internal, who + "odd"));
    EXPECT_EQ(agreed(comm, last, [] { throw 3; }),
              std::pair(ErrorKind::internal, who + "an exception of an unknown type"));
    EXPECT_EQ(agreed(comm, last, [] { throw InvalidArgument(""); }), std::pair(ErrorKind::invalid_argument, who));
  });
}

TEST_P(CommContract, APoisonedGroupRefusesWorkAtOnce) {
  on_ranks([](RankGroup& comm) {
    const auto group = comm.split(0, 0);
    std::vector<std::byte> bytes(1), never(1);
    const auto pending = group->receive(never, comm.rank(), 1);
    const auto persistent = group->persistent_receive(bytes, comm.rank(), 2);
    EXPECT_FALSE(group->poisoned());
    group->poison();
    EXPECT_TRUE(group->poisoned());
    EXPECT_THROW(group->barrier(), CommunicationError);
    EXPECT_THROW(group->broadcast(bytes, rank_id(0)), CommunicationError);
    EXPECT_THROW((void)group->all_gather(bytes), CommunicationError);
    EXPECT_THROW((void)group->all_reduce(1.0, comm::Reduction::sum), CommunicationError);
    EXPECT_THROW((void)group->all_reduce(std::int64_t{1}, comm::Reduction::sum), CommunicationError);
    EXPECT_THROW((void)group->send(bytes, rank_id(0), 0), CommunicationError);
    EXPECT_THROW((void)group->receive(bytes, rank_id(0), 0), CommunicationError);
    EXPECT_THROW((void)group->persistent_send(bytes, rank_id(0), 0), CommunicationError);
    EXPECT_THROW((void)group->persistent_receive(bytes, rank_id(0), 0), CommunicationError);
    EXPECT_THROW((void)group->persistent_receive_at_most(bytes, rank_id(0), 0), CommunicationError);
    EXPECT_THROW((void)group->split(0, 0), CommunicationError);
    EXPECT_THROW((void)group->split_by_node(1), CommunicationError);
    EXPECT_THROW((void)group->shared_window(1), CommunicationError);
    EXPECT_THROW((void)pending->test(), CommunicationError);
    EXPECT_THROW(persistent->start(), CommunicationError);
    // This rank's own error is more useful than the failure to exchange errors.
    EXPECT_THROW(comm::agree(*group, std::make_exception_ptr(DeviceError("own"))), DeviceError);
    group->close();
    comm.barrier();
  });
}

/// A value that cannot be sent on the last rank, as without memory.
struct Unsendable {
  int value = 0;
  bool fails = false;
};
auto members(MaybeConst<Unsendable> auto& unsendable) {
  if (unsendable.fails) throw std::bad_alloc();
  return std::tie(unsendable.value);
}

TEST_P(CommContract, AValueThatARankCannotSendPoisonsItsGroup) {
  on_ranks([](RankGroup& comm) {
    const auto group = comm.split(0, 0);
    group->set_timeout(100ms);
    const bool last = comm.rank().value() == comm.size() - 1;
    try {
      (void)comm::gather(*group, Unsendable{1, last});
      EXPECT_FALSE(last);
    } catch (const std::bad_alloc&) {
      EXPECT_TRUE(last);
    } catch (const Error&) {  // the others waited for it
      EXPECT_FALSE(last);
    }
    // Its next collective must not be taken for the one that the others wait in.
    EXPECT_TRUE(group->poisoned());
    group->close();
    comm.barrier();
  });
}

TEST_P(CommContract, AnExceptionThatNoRankKnowsOfPoisonsTheGroupAndAnErrorDoesNot) {
  on_ranks([](RankGroup& comm) {
    const auto group = comm.split(0, 0);
    EXPECT_THROW(comm::agreed_or_out_of_step(*group, [] { throw DeviceError("agreed"); }), DeviceError);
    EXPECT_FALSE(group->poisoned());
    EXPECT_THROW(comm::agreed_or_out_of_step(*group, [] { throw std::bad_alloc(); }), std::bad_alloc);
    EXPECT_TRUE(group->poisoned());
    group->close();
    comm.barrier();
  });
}

/// All ranks but the last call, and must get a DeadlineError in time: their own, or that of the first whose time has run out.
void expect_deadline(RankGroup& comm, std::string_view name, const std::function<void(RankGroup&)>& call) {
  SCOPED_TRACE(name);
  const auto group = comm.split(0, 0);
  if (comm.rank().value() != comm.size() - 1) {
    group->set_timeout(100ms);
    const auto begin = std::chrono::steady_clock::now();
    const auto message = message_of<DeadlineError>([&] { call(*group); });
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_THAT(message, HasSubstr(name));
    EXPECT_THAT(message, HasSubstr("timeout 0.1 s"));
    if (comm.size() == 2) {
      EXPECT_GE(took, 100ms);
    }
    EXPECT_LT(took, 5s);
    EXPECT_TRUE(group->poisoned());
    EXPECT_THROW(group->barrier(), Error);  // of the group's state, or what another rank has sent
  }
  comm.barrier();
  if (group->poisoned()) group->close();
}

TEST_P(CommContract, ARankThatDoesNotComeEndsACollectiveAtTheDeadline) {
  on_ranks([](RankGroup& comm) {
    if (comm.size() == 1) return;
    const rank_id last(comm.size() - 1);
    expect_deadline(comm, "barrier", [](RankGroup& group) { group.barrier(); });
    expect_deadline(comm, "broadcast", [&](RankGroup& group) {
      std::vector<std::byte> bytes;
      group.broadcast(bytes, last);
    });
    expect_deadline(comm, "all_gather", [](RankGroup& group) { (void)group.all_gather({}); });
    expect_deadline(comm, "all_reduce", [](RankGroup& group) { (void)group.all_reduce(1.0, comm::Reduction::sum); });
    expect_deadline(comm, "all_reduce",
                    [](RankGroup& group) { (void)group.all_reduce(std::int64_t{1}, comm::Reduction::min); });
    expect_deadline(comm, "all_gather", [](RankGroup& group) { (void)group.split(0, 0); });
    expect_deadline(comm, "all_gather", [](RankGroup& group) { (void)group.split_by_node(std::nullopt); });
    expect_deadline(comm, "all_gather", [](RankGroup& group) { (void)group.shared_window(64); });
    expect_deadline(comm, "all_gather", [](RankGroup& group) { comm::agree(group, nullptr); });
    expect_deadline(comm, "barrier", [](RankGroup& group) { group.close(); });
  });
}

}  // namespace
}  // namespace halocline::test
