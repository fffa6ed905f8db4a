// SPDX-License-Identifier: BSD-3-Clause
#include "postmortem/diagnosis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "halocline/error.hpp"
#include "postmortem/report.hpp"
#include "support/error_of.hpp"

namespace cli::postmortem {
namespace {

using namespace halocline;
using halocline::test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

/// Jobs of ranks in a ring, each with one subdomain of its rank's number.
class Job {
 public:
  /// In exchange `number`, which all ranks have started and in which all wait in finish(), with nothing arrived.
  Job(std::int64_t ranks, std::uint64_t number, bool by_host) : number_(number), by_host_(by_host) {
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      Recording& one = all.emplace_back(Recording{.rank = rank, .ranks = ranks, .pid = 100 + rank, .host = "node"});
      one.exchanges = {{.name = "exchange", .started = number, .finished = number - 1, .epoch = by_host ? 0 : number}};
      for (const std::int64_t peer : {(rank + 1) % ranks, (rank + ranks - 1) % ranks}) {
        for (const bool sends : {true, false}) {
          one.exchanges[0].messages.push_back({.from = sends ? rank : peer,
                                               .to = sends ? peer : rank,
                                               .peer = peer,
                                               .sends = sends,
                                               .transport = by_host ? "mpi_staged" : "direct",
                                               .by_host = by_host,
                                               .reached = number});
        }
      }
      at(rank, EventKind::waiting, number);
    }
  }
  /// The rank has an event, 5 s before its recording.
  void at(std::int64_t rank, EventKind kind, std::uint64_t number) {
    Recording& one = of(rank);
    one.time = std::chrono::seconds(100);
    one.events.push_back({std::chrono::seconds(95), kind, 0, number, -1, -1});
  }
  /// The rank has finished the exchange before and has not started this one, which its neighbours notice.
  void not_started(std::int64_t rank) {
    RecordedExchange& exchange = of(rank).exchanges[0];
    exchange.started = exchange.finished = number_ - 1;
    exchange.epoch = by_host_ ? 0 : number_ - 1;
    for (RecordedMessage& message : exchange.messages) message.reached = number_ - 1;
    of(rank).events.clear();
    at(rank, EventKind::finished, number_ - 1);
    nothing_from(rank);
  }
  void nothing_from(std::int64_t rank) {
    for (Recording& one : all) {
      for (RecordedMessage& message : one.exchanges[0].messages) {
        if (message.peer == rank) message.reached = number_ - 1;
      }
    }
  }
  void lost(std::int64_t from, std::int64_t to) { end_is_open(to, from, false); }
  void send_is_under_way(std::int64_t from, std::int64_t to) { end_is_open(from, to, true); }
  Recording& of(std::int64_t rank) { return *std::ranges::find(all, rank, &Recording::rank); }
  void remove(std::int64_t rank) {
    std::erase_if(all, [&](const Recording& one) { return one.rank == rank; });
  }

  std::vector<Recording> all;

 private:
  void end_is_open(std::int64_t rank, std::int64_t peer, bool sends) {
    for (RecordedMessage& message : of(rank).exchanges[0].messages) {
      if (message.peer == peer && message.sends == sends) message.reached = number_ - 1;
    }
  }

  std::uint64_t number_;
  bool by_host_;
};

class Postmortem : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(ByDeviceAndHost, Postmortem, testing::Bool());

TEST_P(Postmortem, NamesTheRankThatHasNotStarted) {
  Job job(5, 4, GetParam());
  job.not_started(1);
  const Diagnosis diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u);
  const Root& root = diagnosis.roots[0];
  EXPECT_EQ(root.kind, RootKind::not_started);
  EXPECT_THAT(root.ranks, ElementsAre(1));
  EXPECT_EQ(root.number, 4u);
  EXPECT_THAT(root.waiting, ElementsAre(0, 2));
  EXPECT_EQ(
      sentence(root, diagnosis),
      "Rank 1 has not started exchange 4: its last event is 'exchange 3 finished', 5.0 s before its recording was "
      "written; it is in the program's own code.");
  EXPECT_THAT(report_text(diagnosis), HasSubstr("Ranks 0 and 2 wait for it.\n"));
  EXPECT_THAT(report_text(diagnosis),
              HasSubstr(GetParam() ? "rank 2 waits for subdomain 1 -> 2 (mpi_staged) from rank 1, exchange 4"
                                   : "rank 2 waits until rank 1 is ready for subdomain 2 -> 1 (direct), exchange 4"));
}

/// Others wait for ranks that wait: the earliest exchange counts.
TEST_P(Postmortem, FollowsWaitsToTheRoot) {
  Job job(5, 5, GetParam());
  job.not_started(1);  // in 5; it has not even started 4
  for (const std::int64_t rank : {0, 1, 2}) {
    RecordedExchange& exchange = job.of(rank).exchanges[0];
    exchange.started -= 1;
    exchange.finished -= 1;
    exchange.epoch -= GetParam() ? 0U : 1U;
    for (RecordedMessage& message : exchange.messages) message.reached -= 1;
    job.of(rank).events.clear();
    job.at(rank, rank == 1 ? EventKind::finished : EventKind::waiting, rank == 1 ? 3 : 4);
  }
  job.lost(0, 4);
  job.lost(2, 3);
  const Diagnosis diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u) << report_text(diagnosis);
  EXPECT_EQ(diagnosis.roots[0].kind, RootKind::not_started);
  EXPECT_THAT(diagnosis.roots[0].ranks, ElementsAre(1));
  EXPECT_EQ(diagnosis.roots[0].number, 4u);
  EXPECT_THAT(diagnosis.roots[0].waiting, ElementsAre(0, 2, 3, 4));
}

TEST_P(Postmortem, NamesTheRankWithoutARecording) {
  Job job(4, 4, GetParam());
  job.not_started(2);
  job.remove(2);
  const Diagnosis diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u);
  EXPECT_EQ(diagnosis.roots[0].kind, RootKind::no_recording);
  EXPECT_THAT(diagnosis.roots[0].ranks, ElementsAre(2));
  EXPECT_THAT(diagnosis.without, ElementsAre(2));
  EXPECT_THAT(report_text(diagnosis), HasSubstr("Rank 2 wrote no recording"));
}

TEST_P(Postmortem, NamesTheMessageThatWasLost) {
  Job job(4, 7, GetParam());
  job.lost(3, 0);
  // The sender has gone on to the next exchange, in which it waits for the one that waits.
  Recording& sender = job.of(3);
  sender.exchanges[0].started = 8;
  sender.exchanges[0].finished = 7;
  if (!GetParam()) sender.exchanges[0].epoch = 8;
  const Diagnosis diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u);
  EXPECT_EQ(diagnosis.roots[0].kind, RootKind::lost_message);
  EXPECT_THAT(diagnosis.roots[0].ranks, ElementsAre(3));
  ASSERT_EQ(diagnosis.roots[0].waits.size(), 1u);
  EXPECT_EQ(diagnosis.roots[0].waits[0].rank, 0);
  EXPECT_EQ(diagnosis.roots[0].number, 7u);
}

/// Neither end of the message is done.
TEST(PostmortemOfHost, WhoseMessageIsAwaitedDoesNotWait) {
  Job job(4, 7, true);
  job.lost(3, 0);
  job.send_is_under_way(3, 0);
  const Diagnosis diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u);
  EXPECT_EQ(diagnosis.roots[0].kind, RootKind::lost_message);
  EXPECT_THAT(diagnosis.roots[0].ranks, ElementsAre(3));
}

/// Two ranks wait for each other's messages, of which one has left its sender: the other sender is the cause.
TEST(PostmortemOfHost, ASenderThatIsDoneIsNotTheCause) {
  Job job(4, 7, true);
  job.lost(2, 1);
  job.lost(1, 2);
  job.send_is_under_way(2, 1);
  const Diagnosis diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u);
  EXPECT_EQ(diagnosis.roots[0].kind, RootKind::lost_message);
  EXPECT_THAT(diagnosis.roots[0].ranks, ElementsAre(2));
}

TEST(PostmortemOfHost, NamesTheRankThatDoesNotFinish) {
  Job job(4, 4, true);
  job.nothing_from(1);
  for (RecordedMessage& message : job.of(1).exchanges[0].messages) message.reached = 3;
  job.of(1).events.clear();
  job.at(1, EventKind::enqueued, 4);
  const Diagnosis diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u);
  EXPECT_EQ(diagnosis.roots[0].kind, RootKind::not_finished);
  EXPECT_THAT(diagnosis.roots[0].ranks, ElementsAre(1));
}

TEST(PostmortemOfDevices, NamesTheDeviceThatIsBehindItsHost) {
  Job job(4, 4, false);
  job.not_started(1);
  job.of(1).exchanges[0].started = 9;
  job.of(1).events.clear();
  job.at(1, EventKind::synchronizing, 0);
  const Diagnosis diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u);
  EXPECT_EQ(diagnosis.roots[0].kind, RootKind::device_behind);
  EXPECT_THAT(diagnosis.roots[0].ranks, ElementsAre(1));
}

/// The host has started nothing: a graph is launched again and again. Flags of neighbours show how far a device is that counts an
/// exchange at its end.
TEST(PostmortemOfDevices, CoversReplayedGraphs) {
  Job job(4, 40, false);
  job.not_started(2);
  for (Recording& one : job.all) {
    one.exchanges[0].started = one.exchanges[0].finished = 1;
    one.exchanges[0].epoch = 39;
    one.events.clear();
    job.at(one.rank, EventKind::synchronizing, 0);
  }
  const Diagnosis diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u) << report_text(diagnosis);
  EXPECT_EQ(diagnosis.roots[0].kind, RootKind::not_started);
  EXPECT_THAT(diagnosis.roots[0].ranks, ElementsAre(2));
  EXPECT_EQ(diagnosis.roots[0].number, 40u);
}

TEST(PostmortemOfHost, NamesCycles) {
  Job job(3, 4, true);
  for (const auto& [from, to] : {std::pair(0, 1), std::pair(1, 2), std::pair(2, 0)}) job.lost(from, to);
  const Diagnosis diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u);
  EXPECT_EQ(diagnosis.roots[0].kind, RootKind::cycle);
  EXPECT_EQ(diagnosis.roots[0].ranks.size(), 3u);
  EXPECT_THAT(report_text(diagnosis), HasSubstr("wait for each other in exchange 4."));
}

TEST_P(Postmortem, ErrorsThatAreNoConsequenceComeFirst) {
  Job job(4, 4, GetParam());
  job.not_started(1);
  Recording& failed = job.of(1);
  failed.error = "the two sides disagree";
  failed.kind = ErrorKind::protocol;
  job.at(1, EventKind::failed, 4);
  job.of(0).error = "exchange 4 was given up: rank 1: the two sides disagree";
  job.of(0).kind = ErrorKind::communication;
  job.of(0).error_of_another = true;
  job.of(2).error = "exchange 4 is late";
  job.of(2).kind = ErrorKind::deadline;
  const Diagnosis diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u);
  EXPECT_EQ(sentence(diagnosis.roots[0], diagnosis), "Rank 1 failed in exchange 4: the two sides disagree.");
  failed.kind.reset();
  failed.error = "left without close()";
  const Diagnosis left = diagnose(job.all);
  ASSERT_EQ(left.roots.size(), 1u);
  EXPECT_EQ(sentence(left.roots[0], left), "Rank 1 left without close(), after exchange 4.");
}

/// Set-up and close() are collective.
TEST(PostmortemOfPhases, NamesWhoIsBehind) {
  Job job(3, 4, true);
  for (Recording& one : job.all) one.events.clear(), job.at(one.rank, EventKind::closing, 0);
  EXPECT_TRUE(diagnose(job.all).roots.empty());
  job.of(2).events.clear();
  job.at(2, EventKind::finished, 4);
  Diagnosis diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u);
  EXPECT_EQ(diagnosis.roots[0].kind, RootKind::not_closed);
  EXPECT_THAT(diagnosis.roots[0].ranks, ElementsAre(2));
  EXPECT_THAT(diagnosis.roots[0].waiting, ElementsAre(0, 1));

  for (Recording& one : job.all) one.exchanges.clear(), one.events.clear(), job.at(one.rank, EventKind::connecting, 0);
  job.of(0).events.clear();
  job.at(0, EventKind::allocating, 0);
  diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u);
  EXPECT_EQ(diagnosis.roots[0].kind, RootKind::not_set_up);
  EXPECT_THAT(diagnosis.roots[0].ranks, ElementsAre(0));
}

TEST_P(Postmortem, NobodyWaits) {
  Job job(3, 4, GetParam());
  for (Recording& one : job.all) {
    one.exchanges[0].finished = 4;
    one.events.clear();
    job.at(one.rank, EventKind::finished, 4);
  }
  EXPECT_TRUE(diagnose(job.all).roots.empty());
  EXPECT_THAT(report_text(diagnose(job.all)), HasSubstr("No rank waits for another."));
  job.of(1).exchanges[0].started = job.of(1).exchanges[0].finished = 3;
  const Diagnosis diagnosis = diagnose(job.all);
  ASSERT_EQ(diagnosis.roots.size(), 1u);
  EXPECT_EQ(diagnosis.roots[0].kind, RootKind::behind);
}

TEST(PostmortemOfAnything, StatesWhyFlagsWereNotRead) {
  Job job(2, 3, false);
  job.of(1).exchanges[0].unread = "the device has not copied its flags within 2 s";
  const std::string text = report_text(diagnose(job.all));
  EXPECT_THAT(text, HasSubstr("flags of its devices were not read: the device has not copied its flags within 2 s\n"));
  EXPECT_EQ(text.find("were not read"), text.rfind("were not read")) << "of rank 1 alone";
}

/// Of recordings that no job has written, no case fails.
TEST(PostmortemOfAnything, DoesNotFail) {
  Recording odd{.rank = 7, .ranks = std::int64_t{1} << 31};
  odd.exchanges = {{.name = "", .started = ~std::uint64_t{0}}, {.name = "x", .epoch = ~std::uint64_t{0} >> 1U}};
  odd.exchanges[1].messages = {
      {.peer = 7, .reached = 3}, {.peer = 12345, .reached = ~std::uint64_t{0} >> 1U}, {.peer = 3}};
  odd.events = {{Duration(0), EventKind::left, 200, 1, -1, -1}};
  const Diagnosis diagnosis = diagnose({odd});
  EXPECT_EQ(diagnosis.missing, (std::int64_t{1} << 31) - 1);
  EXPECT_EQ(std::ssize(diagnosis.without), most_named_without);
  EXPECT_FALSE(report_text(diagnosis).empty());
  EXPECT_FALSE(report_json(diagnosis).members().empty());
}

TEST(PostmortemOfAnything, RefusesFilesOfSeveralJobs) {
  Job job(3, 4, true);
  std::vector<Recording> twice = job.all;
  twice.push_back(job.all[1]);
  EXPECT_THAT(error_of<InvalidArgument>([&] { return diagnose(twice); }), HasSubstr("rank 1 has two recordings"));
  job.all[2].ranks = 4;
  EXPECT_THAT(error_of<InvalidArgument>([&] { return diagnose(job.all); }), HasSubstr("of 3 ranks (rank 0) and of 4"));
}

}  // namespace
}  // namespace cli::postmortem
