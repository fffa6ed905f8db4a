// SPDX-License-Identifier: BSD-3-Clause
// Nothing of what is stored is lost: each member of a recording, a choice of tune and a manifest differs in the text, and is read again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "halocline/error.hpp"
#include "io/manifest.hpp"
#include "io/recording_file.hpp"
#include "io/tuning_cache.hpp"
#include "support/error_of.hpp"

namespace halocline::io {
namespace {

using test::error_of;

template <typename Stored>
using Changes = std::vector<std::pair<const char*, std::function<void(Stored&)>>>;

/// Each change makes another value with another text, from which it is read.
template <typename Stored, typename Read>
void expect_each_is_kept(const Stored& original, const Changes<Stored>& changes, const Read& read) {
  for (const auto& [name, change] : changes) {
    Stored changed = original;
    change(changed);
    EXPECT_FALSE(changed == original) << name << " is not compared";
    EXPECT_NE(text_of(changed), text_of(original)) << name << " is not written";
    EXPECT_TRUE(read(text_of(changed)) == changed) << name << " is not read: " << text_of(read(text_of(changed)));
  }
}

Recording stored_recording() {
  Recording recording{.rank = 1, .ranks = 4, .host = "a"};
  recording.exchanges = {{.name = "exchange", .messages = {{.from = 1, .to = 2, .peer = 2, .transport = "direct"}}}};
  recording.events = {{Duration(5), EventKind::started, 0, 4, -1, -1}};
  return recording;
}

TEST(StoredMembers, OfARecordingAreAllReadAgain) {
  const auto message = [](Recording& r) -> RecordedMessage& { return r.exchanges[0].messages[0]; };
  const Changes<Recording> changes{
      {"rank", [](Recording& r) { r.rank = 0; }},
      {"ranks", [](Recording& r) { r.ranks = 8; }},
      {"domain", [](Recording& r) { r.domain = 3; }},
      {"pid", [](Recording& r) { r.pid = 77; }},
      {"host", [](Recording& r) { r.host = "b"; }},
      {"cause", [](Recording& r) { r.cause = RecordingCause::other_rank; }},
      {"error", [](Recording& r) { r.error = "late"; }},
      {"kind", [](Recording& r) { r.kind = ErrorKind::protocol; }},
      {"error_of_another", [](Recording& r) { r.error_of_another = true; }},
      {"time", [](Recording& r) { r.time = Duration(9); }},
      {"unix_time", [](Recording& r) { r.unix_time = 1790000000; }},
      {"events_before", [](Recording& r) { r.events_before = 5; }},
      {"an event more", [](Recording& r) { r.events.emplace_back(); }},
      {"an exchange more", [](Recording& r) { r.exchanges.emplace_back(); }},
      {"event's time", [](Recording& r) { r.events[0].time = Duration(6); }},
      {"event's kind", [](Recording& r) { r.events[0].kind = EventKind::closed; }},
      {"event's exchange", [](Recording& r) { r.events[0].exchange = 1; }},
      {"event's number", [](Recording& r) { r.events[0].number = 5; }},
      {"event's message", [](Recording& r) { r.events[0].message = 0; }},
      {"event's peer", [](Recording& r) { r.events[0].peer = 0; }},
      {"exchange's name", [](Recording& r) { r.exchanges[0].name = "accumulate"; }},
      {"exchange's started", [](Recording& r) { r.exchanges[0].started = 2; }},
      {"exchange's finished", [](Recording& r) { r.exchanges[0].finished = 2; }},
      {"exchange's epoch", [](Recording& r) { r.exchanges[0].epoch = 2; }},
      {"exchange's unread", [](Recording& r) { r.exchanges[0].unread = "gone"; }},
      {"exchange's messages left out", [](Recording& r) { r.exchanges[0].messages_left_out = 2; }},
      {"a message more", [](Recording& r) { r.exchanges[0].messages.emplace_back(); }},
      {"message's from", [&](Recording& r) { message(r).from = 0; }},
      {"message's to", [&](Recording& r) { message(r).to = 0; }},
      {"message's peer", [&](Recording& r) { message(r).peer = 3; }},
      {"message's sends", [&](Recording& r) { message(r).sends = true; }},
      {"message's transport", [&](Recording& r) { message(r).transport = "net"; }},
      {"message's towards", [&](Recording& r) { message(r).towards = "(+1, 0, 0)"; }},
      {"message's by_host", [&](Recording& r) { message(r).by_host = true; }},
      {"message's reached", [&](Recording& r) { message(r).reached = 3; }},
  };
  expect_each_is_kept(stored_recording(), changes, [](const std::string& text) { return recording_from(text, "f"); });
}

TEST(StoredMembers, OfARecordingThatAreTooManyAreRefused) {
  const auto refusal = [](const std::string& text) {
    return error_of<InvalidArgument>([&] { return recording_from(text, "f"); });
  };
  Recording of_many = stored_recording();
  of_many.exchanges.resize(most_recorded_exchanges + 1);
  EXPECT_THAT(refusal(text_of(of_many)), testing::EndsWith("; allowed is at most 64 exchanges"));
  EXPECT_EQ(refusal(std::string(most_recording_bytes + 1, ' ')),
            "recording 'f': it has 8388609 bytes; allowed are at most 8388608");
  std::string text = text_of(stored_recording());
  const std::string event = R"([5, "started", 0, 4, -1, -1])";
  ASSERT_NE(text.find(event), std::string::npos) << text;
  text.replace(text.find(event), event.size(), R"([5, "started", 0, 4, -1])");
  EXPECT_EQ(refusal(text),
            "recording 'f': events[0] is an array of 5; allowed is 6 values: time, kind, exchange, number, "
            "message, peer");
}

TEST(StoredMembers, OfARecordingHaveNamesThatDiffer) {
  std::vector<std::string> names;
  for (const EventKind kind : all_event_kinds) names.emplace_back(to_string(kind));
  EXPECT_THAT(names, testing::ElementsAre("planning", "allocating", "connecting", "realized", "started", "enqueued",
                                          "waiting", "done", "finished", "synchronizing", "synchronized", "failed",
                                          "aborted", "left", "closing", "closed"));
  EXPECT_EQ(error_of<InternalError>([] { return to_string(static_cast<EventKind>(16)); }),
            "an EventKind without a name");
  EXPECT_EQ(error_of<InternalError>([] { return to_string(static_cast<RecordingCause>(3)); }),
            "a RecordingCause without a name");
}

TuningCache stored_cache() {
  TunedEntry entry;
  entry.key = {{"m", "4 ranks"}, {"r", "64 cells"}, {"s", "version 1"}};
  entry.winner = {{"messages", "by_rank"}};
  entry.trials = {{entry.winner, 7, {1, 2, 3}, {4, 5, 6}, {}}};
  entry.skipped = {{"transports=net", "one node"}};
  entry.ceilings = {{"copy", 1e10}};
  return {{entry}};
}

TEST(StoredMembers, OfAChoiceAreAllReadAgain) {
  using Cache = TuningCache;
  const auto one = [](Cache& cache) -> TunedEntry& { return cache.entries[0]; };
  const Changes<Cache> changes{
      {"machine's digest", [&](Cache& c) { one(c).key.machine.digest = "n"; }},
      {"machine's text", [&](Cache& c) { one(c).key.machine.text = "5 ranks"; }},
      {"request's digest", [&](Cache& c) { one(c).key.request.digest = "n"; }},
      {"stack's text", [&](Cache& c) { one(c).key.stack.text = "version 2"; }},
      {"winner", [&](Cache& c) { one(c).winner["messages"] = "by_pair"; }},
      {"confirmed", [&](Cache& c) { one(c).confirmed = one(c).trials[0]; }},
      {"predicted", [&](Cache& c) { one(c).predicted = 0.5; }},
      {"budget", [&](Cache& c) { one(c).budget = 2; }},
      {"spent", [&](Cache& c) { one(c).spent = 1.5; }},
      {"no trials", [&](Cache& c) { one(c).trials.clear(); }},
      {"no skips", [&](Cache& c) { one(c).skipped.clear(); }},
      {"ceiling", [&](Cache& c) { one(c).ceilings["copy"] = 2e10; }},
      {"trial's settings", [&](Cache& c) { one(c).trials[0].settings.clear(); }},
      {"trial's rounds", [&](Cache& c) { one(c).trials[0].rounds = 8; }},
      {"trial's lower quartile", [&](Cache& c) { one(c).trials[0].seconds.p25 = 0.5; }},
      {"trial's median", [&](Cache& c) { one(c).trials[0].seconds.p50 = 0.5; }},
      {"trial's upper quartile", [&](Cache& c) { one(c).trials[0].seconds.p75 = 9; }},
      {"the default's median", [&](Cache& c) { one(c).trials[0].of_default.p50 = 0.5; }},
      {"trial's prediction", [&](Cache& c) { one(c).trials[0].predicted = 0.5; }},
      {"skip's settings", [&](Cache& c) { one(c).skipped[0].what = "transports=nccl"; }},
      {"skip's reason", [&](Cache& c) { one(c).skipped[0].why = "no GPUs"; }},
      {"an entry more", [&](Cache& c) { c.entries.push_back(one(c)); }},
  };
  expect_each_is_kept(stored_cache(), changes, [](const std::string& text) { return tuning_cache_from(text, "f"); });
}

TEST(StoredMembers, OfAChoiceAreNamedWhereTheyAreWrong) {
  const std::string text = text_of(stored_cache().entries[0]);
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    EXPECT_NE(other.find(from), std::string::npos) << from << " is not in " << text;
    other.replace(other.find(from), from.size(), to);
    return error_of<InvalidArgument>([&] { return tuned_entry_from(other); });
  };
  EXPECT_EQ(refusal(R"("winner":[["messages","by_rank"]])", R"("winner":[["messages"]])"),
            "winner[0] is an array of 1; allowed is a name and its value");
  std::string many = R"("winner":[)";
  for (int i = 0; i <= 64; ++i) many += (i == 0 ? "[\"" : ",[\"") + std::to_string(i) + "\",\"v\"]";
  EXPECT_EQ(refusal(R"("winner":[["messages","by_rank"]])", many + "]"),
            "winner[64] is an array of 2; allowed is a name and its value");
  EXPECT_EQ(refusal(R"([["transports=net","one node"]])", R"([["transports=net"]])"),
            "skipped[0] is an array of 1; allowed is settings and why they were skipped");
}

TEST(StoredMembers, OfTheFirstForeignChoiceAreNamed) {
  TuningCache cache = stored_cache();
  TunedKey key = cache.entries[0].key;
  TunedEntry second;
  second.key = {{"x", "8 ranks"}, key.request, key.stack};
  cache.put(second);
  key.machine.digest = "y";
  EXPECT_EQ(cache.why_not(key), "its choice for this domain is of another machine (4 ranks)") << "the first is named";
}

Manifest stored_manifest() {
  Manifest manifest;
  manifest.extent = {8, 4, 2};
  manifest.fields = {{"u", Element::f64, 2, {8, 4, 2}, 3}};
  manifest.metadata = {{"step", "12"}};
  manifest.files = {{{"checkpoint-0000000012-0.raw", 4096, 99}, {{0, 1, {{0, 0, 0}, {4, 4, 2}}, 16}}}};
  return manifest;
}

TEST(StoredMembers, OfAManifestAreAllReadAgain) {
  const Changes<Manifest> changes{
      {"extent", [](Manifest& m) { m.extent.x = 9; }},
      {"metadata", [](Manifest& m) { m.metadata["step"] = "13"; }},
      {"a field more", [](Manifest& m) { m.fields.push_back(m.fields[0]); }},
      {"a file more", [](Manifest& m) { m.files.push_back(m.files[0]); }},
      {"field's name", [](Manifest& m) { m.fields[0].name = "v"; }},
      {"field's element", [](Manifest& m) { m.fields[0].element = Element::i64; }},
      {"field's components", [](Manifest& m) { m.fields[0].components = 1; }},
      {"field's extent", [](Manifest& m) { m.fields[0].extent.z = 3; }},
      {"field's buffers", [](Manifest& m) { m.fields[0].buffers = 2; }},
      {"file's name", [](Manifest& m) { m.files[0].file.name = "checkpoint-0000000012-1.raw"; }},
      {"file's bytes", [](Manifest& m) { m.files[0].file.data_bytes = 4097; }},
      {"file's digest", [](Manifest& m) { m.files[0].file.digest = 100; }},
      {"block's field",
       [](Manifest& m) {
         m.fields.push_back(m.fields[0]);
         m.files[0].blocks[0].field = 1;
       }},
      {"block's buffer", [](Manifest& m) { m.files[0].blocks[0].buffer = 2; }},
      {"block's box", [](Manifest& m) { m.files[0].blocks[0].box.hi.x = 5; }},
      {"an empty box",
       [](Manifest& m) {
         m.files[0].blocks[0].box.hi = {0, 0, 0};
       }},
      {"block's offset", [](Manifest& m) { m.files[0].blocks[0].offset = 32; }},
  };
  expect_each_is_kept(stored_manifest(), changes, [](const std::string& text) { return manifest_from(text, "f"); });
}

TEST(StoredMembers, OfAManifestAreNamedWhereTheyAreWrong) {
  const auto refusal = [](const std::function<void(Manifest&)>& change) {
    Manifest manifest = stored_manifest();
    change(manifest);
    return error_of<InvalidArgument>([&] { return manifest_from(text_of(manifest), "f"); });
  };
  EXPECT_EQ(refusal([](Manifest& m) { m.files[0].blocks[0].field = 1; }),
            "checkpoint manifest 'f': checkpoint.files[0].blocks[0].field is 1; allowed is a whole number from 0 to 0");
  EXPECT_EQ(
      refusal([](Manifest& m) { m.files[0].blocks[0].buffer = 3; }),
      "checkpoint manifest 'f': checkpoint.files[0].blocks[0].buffer is 3; allowed is a whole number from 0 to 2");
  for (const auto& change : std::vector<std::function<void(Manifest&)>>{
           [](Manifest& m) { m.files[0].blocks[0].box.hi.x = 9; },    // outside of the field
           [](Manifest& m) { m.files[0].blocks[0].offset = 4096; }})  // behind the end of the file
    EXPECT_EQ(refusal(change),
              "checkpoint manifest 'f': checkpoint.files[0].blocks[0] is an object; allowed is cells of the field that "
              "the file contains");
  EXPECT_EQ(
      refusal([](Manifest& m) { m.files[0].file.name = "../x"; }),
      "checkpoint manifest 'f': checkpoint.files[0].name is \"../x\"; allowed is the name of a file of a checkpoint");
  EXPECT_EQ(error_of<InvalidArgument>([] {
              Manifest manifest = stored_manifest();
              manifest.metadata["step"] = "\xff";
              return text_of(manifest);
            }),
            "a name of a field or metadata of a checkpoint is not UTF-8; allowed is UTF-8");
}

TEST(StoredMembers, OfAManifestThatWereChangedAreDamage) {
  const auto refusal = [](const std::string& from, const std::string& to) {
    std::string text = text_of(stored_manifest());
    EXPECT_NE(text.find(from), std::string::npos) << from << " is not in " << text;
    text.replace(text.find(from), from.size(), to);
    return error_of<InvalidArgument>([&] { return manifest_from(text, "f"); });
  };
  EXPECT_EQ(refusal("\"offset\": 16", "\"offset\": 24"),
            "checkpoint manifest 'f': it is damaged: its digest is another one");
  EXPECT_EQ(refusal("\"offset\": 16", "\"offset\":  16"),
            "checkpoint manifest 'f': it is damaged: its text is not the one that was written");
  EXPECT_THAT(refusal("\"xxh3\": \"0000000000000063\"", "\"xxh3\": \"63\""), testing::HasSubstr("it is damaged"));
}

TEST(StoredMembers, OfAManifestMustFitTheDomain) {
  const Manifest manifest = stored_manifest();
  const auto refusal = [&](const Vec3& extent, const std::vector<StoredField>& fields) {
    return error_of<InvalidArgument>([&] {
      check_fits(manifest, extent, fields, "f");
      return 0;
    });
  };
  EXPECT_EQ(refusal(manifest.extent, manifest.fields), "(no error)");
  EXPECT_EQ(refusal({8, 4, 3}, manifest.fields),
            "checkpoint manifest 'f' is of another domain: extent is 8 x 4 x 2; allowed is 8 x 4 x 3");
  const std::string field = "'u' with 2 components of f64, 8 x 4 x 2 cells, 3 buffers";
  EXPECT_EQ(refusal(manifest.extent, {}),
            "checkpoint manifest 'f' is of another domain: field 0 is " + field + "; allowed is none");
  EXPECT_EQ(refusal(manifest.extent, {manifest.fields[0], {"v", Element::f32, 1, {8, 4, 2}, 1}}),
            "checkpoint manifest 'f' is of another domain: field 1 is none; allowed is 'v' with 1 components of f32, "
            "8 x 4 x 2 cells, 1 buffers");
}

TEST(StoredMembers, OfACheckpointHaveNamesOfTheirGeneration) {
  EXPECT_EQ(manifest_name(12), "checkpoint-0000000012.json");
  EXPECT_EQ(data_name(12, 3), "checkpoint-0000000012-3.raw");
  for (const std::string& name : {manifest_name(12), data_name(12, 3), manifest_name(12345678901), data_name(0, 0)}) {
    const auto found = generation_of(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->manifest ? manifest_name(found->generation) : data_name(found->generation, name[22] - '0'), name);
  }
  for (const char* name :
       {"", "checkpoint-", "checkpoint-x", "checkpoint-12.json", "checkpoint--0000000012.json", "checkpoint-0000000012",
        "checkpoint-0000000012-3", "checkpoint-0000000012-03.raw", "checkpoint-0000000012-3.raw~",
        "checkpoint-99999999999999999999.json", "checkpoint-9223372036854775807.json", "Checkpoint-0000000012.json"}) {
    EXPECT_FALSE(generation_of(name)) << name;
  }
}

}  // namespace
}  // namespace halocline::io
