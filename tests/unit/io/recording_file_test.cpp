// SPDX-License-Identifier: BSD-3-Clause
#include "io/recording_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "core/event_ring.hpp"
#include "halocline/error.hpp"
#include "support/error_of.hpp"

namespace halocline::io {
namespace {

using test::error_of;
using testing::HasSubstr;

Recording some_recording() {
  Recording recording{.rank = 1, .ranks = 4, .domain = 2, .pid = 4711, .host = "node7"};
  recording.cause = RecordingCause::error;
  recording.error = "exchange 4 is late by more than 2 s: \"quoted\"";
  recording.kind = ErrorKind::deadline;
  recording.time = Duration(123456789012345);
  recording.unix_time = 1790000000;
  recording.events_before = 77;
  recording.exchanges = {
      {.name = "exchange",
       .started = 4,
       .finished = 3,
       .epoch = 4,
       .unread = "",
       .messages = {{.from = 2, .to = 4, .peer = 2, .sends = true, .transport = "direct", .reached = 3},
                    {.from = 4,
                     .to = 2,
                     .peer = 2,
                     .transport = "mpi_staged",
                     .towards = "(+1, 0, 0)",
                     .by_host = true,
                     .reached = 4}}},
      {.name = "accumulate", .unread = "no answer in 2 s"}};
  recording.events = {{Duration(5), EventKind::started, 0, 4, -1, -1}, {Duration(9), EventKind::done, 0, 4, 1, 2}};
  return recording;
}

TEST(RecordingFile, ReadsWhatIsWritten) {
  EXPECT_EQ(recording_from(text_of(some_recording()), "f"), some_recording());
  EXPECT_EQ(recording_from(text_of(Recording{}), "f"), Recording{});
}

std::string error_with(const std::string& from, const std::string& to) {
  std::string text = text_of(some_recording());
  const auto at = text.find(from);
  if (at == std::string::npos) return "(not in the text)";
  text.replace(at, from.size(), to);
  return error_of<InvalidArgument>([&] { return recording_from(text, "d/rank-1.4711.json"); });
}

TEST(RecordingFile, RefusesByNameAndPlace) {
  EXPECT_THAT(error_with("\"schema\": \"halocline-recording/1\"", "\"schema\": \"halocline-recording/2\""),
              HasSubstr("recording 'd/rank-1.4711.json': schema is \"halocline-recording/2\"; allowed is"));
  EXPECT_THAT(error_with("\"rank\": 1", "\"rank\": 4"), HasSubstr("rank is 4; allowed is a whole number from 0 to 3"));
  EXPECT_THAT(error_with("\"ranks\": 4", "\"ranks\": 0"), HasSubstr("ranks is 0"));
  EXPECT_THAT(error_with("\"peer\": 2", "\"peer\": 4"), HasSubstr("exchanges[0].messages[0].peer is 4"));
  EXPECT_THAT(error_with("\"started\",", "\"begun\","), HasSubstr("events[0][1] is \"begun\"; allowed is one of"));
  EXPECT_THAT(error_with("\"cause\": \"error\"", "\"cause\": \"fate\""), HasSubstr("cause is \"fate\""));
  EXPECT_THAT(error_with("\"kind\": \"deadline\"", "\"kind\": \"late\""), HasSubstr("kind is \"late\""));
  EXPECT_THAT(error_with("\"pid\"", "\"pad\""), HasSubstr("recording 'd/rank-1.4711.json': "));
  EXPECT_THAT(error_with("\"unix_time\": 1790000000,", "\"unix_time\": 1790000000"), HasSubstr("line"));
  EXPECT_THAT(error_with("\"epoch\": 4", "\"epoch\": -1"), HasSubstr("exchanges[0].epoch is -1"));
}

TEST(RecordingFile, RefusesEveryTruncation) {
  const std::string text = text_of(some_recording());
  for (std::size_t bytes = 0; bytes + 1 < text.find_last_of('}'); bytes += 7) {
    EXPECT_THROW(static_cast<void>(recording_from(text.substr(0, bytes), "f")), InvalidArgument) << bytes;
  }
}

TEST(RecordingFile, IsOfBoundedSize) {
  Recording recording = some_recording();
  recording.events.assign(EventRing::capacity,
                          {Duration(-1), EventKind::synchronizing, 255, ~std::uint64_t{0} >> 1U, -1, -1});
  RecordedMessage message = recording.exchanges[0].messages[1];
  message.reached = 4;
  recording.exchanges[0].messages.assign(most_recorded_messages + 10, message);
  recording.exchanges[0].messages.back().reached = 3;
  const std::string text = text_of(recording);
  EXPECT_LT(text.size(), most_recording_bytes);
  const Recording read = recording_from(text, "f");
  const std::size_t others = recording.exchanges[1].messages.size();
  EXPECT_EQ(read.exchanges[0].messages.size(), most_recorded_messages - others);
  EXPECT_EQ(read.exchanges[0].messages_left_out, 10 + static_cast<std::int64_t>(others));
  EXPECT_EQ(read.exchanges[0].messages[0].reached, 3u) << "a message that is waited for was left out";
  recording.events.emplace_back();
  EXPECT_THAT(error_of<InvalidArgument>([&] { return recording_from(text_of(recording), "f"); }),
              HasSubstr("at most 4096 events"));
}

TEST(RecordingFile, OfManyFullExchangesIsRead) {
  Recording recording = some_recording();
  recording.exchanges[0].messages.assign(most_recorded_messages, recording.exchanges[0].messages[1]);
  recording.exchanges.assign(most_recorded_exchanges, recording.exchanges[0]);
  recording.exchanges[1].messages.resize(3);
  const Recording read = recording_from(text_of(recording), "f");
  ASSERT_EQ(read.exchanges.size(), 64u);
  EXPECT_EQ(read.exchanges[0].messages.size(), 129u) << "one exchange has left its part to the others";
  EXPECT_EQ(read.exchanges[1].messages.size(), 3u);
  EXPECT_EQ(read.exchanges[63].messages.size(), 129u);
  EXPECT_EQ(read.exchanges[63].messages_left_out, 8192 - 129 + recording.exchanges[63].messages_left_out);
}

TEST(RecordingFile, HasNames) {
  EXPECT_EQ(recording_name(3, 4711, 0), "rank-3.4711.json");
  EXPECT_EQ(recording_name(3, 4711, 2), "rank-3.4711.2.json");
  for (const std::string name : {"rank-3.4711.json", "rank-0.1.12.json"}) {
    const auto found = recording_of_name(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(recording_name(found->rank, found->pid, found->domain), name);
  }
  for (const std::string name :
       {"", "rank-", "rank-3", "rank-3.json", "rank-3.4711", "rank-03.4711.json", "rank-3.4711.0.json",
        "rank-3.4711.json.lock", "Rank-3.4711.json", "rank-99999999999999999999.1.json"}) {
    EXPECT_FALSE(recording_of_name(name)) << name;
  }
}

}  // namespace
}  // namespace halocline::io
