// SPDX-License-Identifier: BSD-3-Clause
#include "io/tuning_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "halocline/error.hpp"
#include "support/effort.hpp"
#include "support/error_of.hpp"
#include "support/seeded.hpp"

namespace halocline::io {
namespace {

using test::error_of;
using testing::HasSubstr;

TunedKey key_of(const std::string& machine, const std::string& request, const std::string& stack) {
  return {{machine, "4 ranks"}, {request, "64 cells"}, {stack, "version " + stack}};
}

TunedEntry some_entry(const TunedKey& key) {
  TunedEntry entry;
  entry.key = key;
  entry.winner = {{"messages", "by_rank"}, {"transports", "self,mpi_staged"}};
  entry.trials = {{entry.winner, 7, {1e-5, 1.1e-5, 1.3e-5}, {2e-5, 2.1e-5, 2.0 / 3e5}, 1.0 / 3},
                  {{{"node-grid", "2,1,1"}}, 3, {3e-5, 4e-5, 5e-5}, {2e-5, 2.1e-5, 2.2e-5}, {}}};
  entry.confirmed = entry.trials[0];
  entry.skipped = {{"transports=ipc_copy", "no two ranks of a node are neighbours"}};
  entry.ceilings = {{"copy_within_device_bytes_per_s", 1e10}};
  entry.predicted = 3e-5;
  entry.budget = 2;
  entry.spent = 1.5;
  return entry;
}

TuningCache some_cache() {
  TuningCache cache;
  cache.put(some_entry(key_of("m", "r", "s")));
  TunedEntry stays = some_entry(key_of("m", "other", "s"));
  stays.winner.clear();
  stays.confirmed.reset();
  stays.predicted.reset();
  cache.put(stays);
  return cache;
}

TEST(TuningCacheFile, ReadsWhatIsWritten) {
  const TuningCache cache = some_cache();
  EXPECT_EQ(tuning_cache_from(text_of(cache), "f"), cache);
  EXPECT_EQ(tuning_cache_from(text_of(TuningCache{}), "f"), TuningCache{});
  EXPECT_EQ(tuned_entry_from(text_of(cache.entries[0])), cache.entries[0]);
}

/// A bit that is flipped, or an end that is missing, is noticed wherever it is.
TEST(TuningCacheFile, AnyDamageIsNoticed) {
  const std::string text = text_of(some_cache());
  test::Seeded random(3);
  for (int i = 0; i < test::some_of(500); ++i) {
    std::string damaged = text;
    const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(text.size()) - 1));
    if (i % 2 == 0) {
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.between(0, 7)));
    } else {
      damaged.resize(at);
    }
    EXPECT_THAT(error_of<InvalidArgument>([&] { return tuning_cache_from(damaged, "f"); }),
                HasSubstr("tuning cache 'f': "))
        << "at " << at;
  }
}

TEST(TuningCacheFile, AnotherNumberIsDamage) {
  std::string text = text_of(some_cache());
  text.replace(text.find("\"spent_seconds\": 1.5"), 20, "\"spent_seconds\": 1.6");
  EXPECT_EQ(error_of<InvalidArgument>([&] { return tuning_cache_from(text, "f"); }),
            "tuning cache 'f': it is damaged: its digest is another one");
}

TEST(TuningCacheFile, GarbageAndOtherDocumentsAreRefused) {
  for (const std::string& text : {std::string(), std::string("{}"), std::string("[1, 2"), std::string(100, '\0'),
                                  std::string(R"({"schema": "halocline-tune/1", "digest": "0"})"),
                                  std::string(R"({"schema": "halocline-machine/1", "entries": [], "digest": "0"})")}) {
    EXPECT_THAT(error_of<InvalidArgument>([&] { return tuning_cache_from(text, "f"); }), HasSubstr("tuning cache 'f'"));
  }
}

TEST(TuningCacheFile, EntriesAreFoundByAllThreeDigests) {
  const TuningCache cache = some_cache();
  ASSERT_NE(cache.find(key_of("m", "r", "s")), nullptr);
  EXPECT_EQ(cache.find(key_of("x", "r", "s")), nullptr);
  EXPECT_EQ(cache.find(key_of("m", "x", "s")), nullptr);
  EXPECT_EQ(cache.find(key_of("m", "r", "x")), nullptr);
}

TEST(TuningCacheFile, AForeignOrAStaleChoiceIsNamed) {
  const TuningCache cache = some_cache();
  EXPECT_EQ(cache.why_not(key_of("m", "r", "s")), "");
  EXPECT_EQ(cache.why_not(key_of("m", "new", "s")), "");
  EXPECT_THAT(cache.why_not(key_of("x", "r", "s")), HasSubstr("of another machine (4 ranks)"));
  EXPECT_THAT(cache.why_not(key_of("m", "r", "x")), HasSubstr("made with other software (version s; here version x)"));
}

TEST(TuningCacheFile, ANewChoiceTakesThePlaceOfTheOldOne) {
  TuningCache cache = some_cache();
  TunedEntry again = some_entry(key_of("m", "r", "s"));
  again.spent = 9;
  cache.put(again);
  ASSERT_EQ(cache.entries.size(), 2U);
  EXPECT_EQ(cache.find(again.key)->spent, 9);
}

TEST(TuningCacheFile, OfTooManyTheOldestGoes) {
  TuningCache cache;
  for (std::size_t i = 0; i <= most_tuned_entries; ++i) cache.put(some_entry(key_of("m", std::to_string(i), "s")));
  EXPECT_EQ(cache.entries.size(), most_tuned_entries);
  EXPECT_EQ(cache.find(key_of("m", "0", "s")), nullptr);
  EXPECT_NE(cache.find(key_of("m", "1", "s")), nullptr);
}

}  // namespace
}  // namespace halocline::io
