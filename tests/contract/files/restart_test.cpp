// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints that other numbers of ranks restore: ranks as threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/local_ranks.hpp"
#include "contract/files/files_case.hpp"
#include "support/effort.hpp"
#include "support/error_of.hpp"

namespace halocline::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void write_on(int ranks, const FilesCase& c, const std::string& folder, std::int64_t salt,
              const CheckpointOptions& options = {}) {
  comm::run_as_threads(ranks, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, c);
    fill(d, salt);
    Checkpoints checkpoints(d.domain, folder, options);
    checkpoints.write({{"salt", std::to_string(salt)}, {"ranks", std::to_string(ranks)}});
  });
}

void expect_on(int ranks, const FilesCase& c, const std::string& folder, std::int64_t salt,
               const CheckpointOptions& options = {}) {
  comm::run_as_threads(ranks, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, c);
    fill(d, -1);
    Checkpoints checkpoints(d.domain, folder, options);
    const auto restored = checkpoints.restore();
    ASSERT_TRUE(restored.has_value());
    EXPECT_EQ(restored->metadata.at("salt"), std::to_string(salt));
    EXPECT_TRUE(restored->refused.empty());
    EXPECT_EQ(different(d, salt, options.all_buffers ? 16 : 1), 0) << ranks << " ranks";
  });
}

TEST(Restart, continues_on_any_number_of_ranks_and_devices) {
  const TemporaryFolder folder;
  FilesCase c;
  write_on(4, c, folder.at("run"), 1);
  for (const int ranks : rank_counts({6, 3, 1})) {
    for (const int devices : {1, 2}) {
      c.devices = devices;
      expect_on(ranks, c, folder.at("run"), 1);
    }
  }
}

TEST(Restart, of_all_buffers_has_what_swaps_bring_back) {
  const TemporaryFolder folder;
  const CheckpointOptions both{.all_buffers = true};
  write_on(3, {}, folder.at("run"), 2, both);
  expect_on(2, {}, folder.at("run"), 2, both);
}

/// At this rate it would take hours.
TEST(Restart, is_from_a_checkpoint_that_finish_completed_without_regard_to_its_rate) {
  const TemporaryFolder folder;
  const CheckpointOptions slow{.most_bytes_per_second = 1};
  write_on(2, {}, folder.at("run"), 3, slow);
  expect_on(3, {}, folder.at("run"), 3);
}

TEST(Restart, compares_pieces_of_large_files) {
  FilesCase c;
  c.extent = {80, 70, 60};  // 2.7 MB
  const TemporaryFolder folder;
  write_on(1, c, folder.at("run"), 3);
  expect_on(2, c, folder.at("run"), 3);
}

TEST(Restart, of_random_domains) {
  for (std::uint64_t seed = 1; seed <= some_of<std::uint64_t>(40); ++seed) {
    Seeded random(seed);
    FilesCase c;
    c.extent = {random.between(6, 18), random.between(6, 18), random.between(6, 18)};
    for (auto& boundary : c.boundaries) boundary = random.chance(50) ? Boundary::open : Boundary::periodic;
    c.fields.clear();
    const auto fields = random.between(1, 3);
    for (std::int64_t f = 0; f < fields; ++f) {
      FieldDescriptor field{.name = "field <" + std::to_string(f) + "> \"\u00e9\""};
      field.element = static_cast<Element>(random.between(0, 13));
      field.components = static_cast<int>(random.between(1, 4));
      field.buffers = static_cast<int>(random.between(1, 3));
      for (bool& staggered : field.staggered) staggered = random.chance(40);
      c.fields.push_back(field);
    }
    const CheckpointOptions options{.all_buffers = random.chance(50)};
    const TemporaryFolder folder;
    SCOPED_TRACE("seed " + std::to_string(seed));
    c.devices = static_cast<int>(random.between(1, 2));
    write_on(static_cast<int>(random.between(1, 4)), c, folder.at("run"), 7, options);
    c.devices = static_cast<int>(random.between(1, 2));
    expect_on(static_cast<int>(random.between(1, 4)), c, folder.at("run"), 7, options);
  }
}

TEST(Restart, holds_what_was_there_when_it_began) {
  const TemporaryFolder folder;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, {});
    fill(d, 1);
    Checkpoints checkpoints(d.domain, folder.at("run"));
    checkpoints.start();
    fill(d, 2);
    checkpoints.finish();
    EXPECT_EQ(different(d, 2), 0);
    ASSERT_TRUE(checkpoints.restore().has_value());
    EXPECT_EQ(different(d, 1), 0);
  });
}

TEST(Restart, keeps_the_newest_generations_and_removes_what_others_left) {
  const TemporaryFolder folder;
  const std::string run = folder.at("run");
  for (int salt = 1; salt <= 4; ++salt) write_on(2, {}, run, salt, {.generations = 3});
  put_content(run + "/checkpoint-0000000004-7.raw", "of a generation that is kept");
  put_content(run + "/checkpoint-0000000009-0.raw", "of a run that was killed");
  put_content(run + "/.halocline-0123456789abcdef", "of a run that was killed while it wrote a manifest");
  put_content(run + "/checkpoint-9-0.raw", "no name of a checkpoint");
  put_content(run + "/.halocline-notes", "no name of a temporary file");
  write_on(1, {}, run, 5, {.generations = 2});
  EXPECT_THAT(TemporaryFolder::names(run),
              ElementsAre(".halocline-notes", "checkpoint-0000000004-0.raw", "checkpoint-0000000004-1.raw",
                          "checkpoint-0000000004-7.raw", "checkpoint-0000000004.json", "checkpoint-0000000010-0.raw",
                          "checkpoint-0000000010.json", "checkpoint-9-0.raw"));
  expect_on(3, {}, run, 5);
}

TEST(Restart, finds_nothing_where_there_is_nothing) {
  const TemporaryFolder folder;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, {});
    Checkpoints checkpoints(d.domain, folder.at("no such folder"));
    EXPECT_EQ(checkpoints.restore(), std::nullopt);
  });
}

TEST(Restart, refuses_checkpoints_of_other_domains_by_name_and_takes_the_one_before) {
  const auto refusal = [](const FilesCase& other) {
    const TemporaryFolder folder;
    write_on(2, {}, folder.at("run"), 1);
    write_on(2, other, folder.at("run"), 2);
    std::string text;
    comm::run_as_threads(3, [&](comm::RankGroup& comm) {
      FilesDomain d(comm, {});
      Checkpoints checkpoints(d.domain, folder.at("run"));
      const auto restored = checkpoints.restore();
      ASSERT_TRUE(restored.has_value());
      EXPECT_EQ(restored->metadata.at("salt"), "1");
      EXPECT_THAT(restored->file, HasSubstr("checkpoint-0000000001.json"));
      EXPECT_EQ(different(d, 1), 0);
      ASSERT_EQ(restored->refused.size(), 1u);
      if (comm.rank().value() == 2) text = restored->refused.front();
    });
    EXPECT_THAT(text, HasSubstr("checkpoint-0000000002.json' is of another domain: "));
    return text;
  };
  FilesCase other;
  other.extent.z = 10;
  EXPECT_THAT(refusal(other), HasSubstr("extent is 13 x 11 x 10; allowed is 13 x 11 x 9"));
  other = {};
  other.fields[1].element = Element::i32;
  EXPECT_THAT(refusal(other),
              HasSubstr("field 1 is 'v' with 3 components of i32, 13 x 11 x 9 cells, 1 buffers; allowed is "
                        "'v' with 3 components of f32"));
  other = {};
  other.fields[0].name = "other";
  EXPECT_THAT(refusal(other), HasSubstr("field 0 is 'other'"));
  other = {};
  other.fields[1].components = 2;
  EXPECT_THAT(refusal(other), HasSubstr("field 1 is 'v' with 2 components"));
  other = {};
  other.fields.pop_back();
  EXPECT_THAT(refusal(other), HasSubstr("field 3 is none"));
  other = {};
  other.boundaries[2] = Boundary::periodic;
  EXPECT_THAT(refusal(other), HasSubstr("field 2 is 'w' with 1 components of i16, 13 x 11 x 9 cells"));
}

/// The copies of that start may still be under way.
TEST(Restart, follows_a_start_that_has_failed) {
  const TemporaryFolder folder;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, {});
    Checkpoints checkpoints(d.domain, folder.at("run"));
    fill(d, 1);
    checkpoints.write({{"salt", "1"}});
    fill(d, 2);
    const Subdomain& first = d.domain.subdomains().front();
    first.launch(first.owned(), [](const Box&) { std::this_thread::sleep_for(std::chrono::milliseconds(200)); });
    if (comm.rank().value() == 0) {
      std::filesystem::rename(folder.at("run"), folder.at("away"));
      put_content(folder.at("run"), "no folder");
    }
    EXPECT_THAT(error_of<InvalidArgument>([&] { checkpoints.start(); }), HasSubstr("run'; allowed is a folder"));
    if (comm.rank().value() == 0) {
      std::filesystem::remove(folder.at("run"));
      std::filesystem::rename(folder.at("away"), folder.at("run"));
    }
    ASSERT_TRUE(checkpoints.restore().has_value());
    EXPECT_EQ(different(d, 1), 0);
  });
}

TEST(Restart, refuses_fields_whose_names_no_file_can_have) {
  const TemporaryFolder folder;
  for (const char* name : {"u\xff", "a\nb"}) {
    std::vector<std::string> texts(2);
    comm::run_as_threads(2, [&](comm::RankGroup& comm) {
      FilesDomain d(comm, {.fields = {{.name = name, .element = Element::f32}}});
      texts[comm.rank().index()] = error_of<InvalidArgument>([&] { return Checkpoints(d.domain, folder.at("run")); });
      EXPECT_EQ(error_of<InvalidArgument>([&] { return Output(d.domain, folder.at("u.pvd")); }),
                texts[comm.rank().index()]);
    });
    EXPECT_THAT(texts[0], HasSubstr("rank 0: field name is '"));
    EXPECT_THAT(texts[0], HasSubstr("'; allowed in files is UTF-8 text without control characters"));
    EXPECT_EQ(texts[0], texts[1]);
  }
}

TEST(Restart, says_what_is_wrong_where_it_is_used_wrongly) {
  const TemporaryFolder folder;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, {});
    const auto made = [&](const CheckpointOptions& options) {
      return error_of<InvalidArgument>([&] { return Checkpoints(d.domain, folder.at("run"), options); });
    };
    EXPECT_THAT(made({.generations = 0}), HasSubstr("generations of checkpoints is 0; allowed is 1 or more"));
    EXPECT_THAT(made({.most_bytes_per_second = -1}),
                HasSubstr("most bytes per second of checkpoints is -1; allowed is 0, for no limit, or more"));
    EXPECT_THAT(made({.fields = {field_id(4)}}), HasSubstr("field is 4; allowed are 0 to 3"));
    EXPECT_THAT(made({.fields = {field_id(1), field_id(1)}}), HasSubstr("field 'v' is listed twice"));
    EXPECT_THAT(made({.generations = 1 + static_cast<int>(comm.rank().value())}),
                HasSubstr("rank 0 has 1, rank 1 has 2"));
    Checkpoints checkpoints(d.domain, folder.at("run"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { checkpoints.finish(); }), HasSubstr("without a start()"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { checkpoints.write({{"name", "\xff"}}); }), HasSubstr("not UTF-8"));
    checkpoints.start();
    EXPECT_THAT(error_of<InvalidArgument>([&] { checkpoints.start(); }), HasSubstr("finish() it before"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { static_cast<void>(checkpoints.restore()); }),
                HasSubstr("finish() it before"));
    checkpoints.finish();
    EXPECT_THAT(error_of<InvalidArgument>([&] { return Checkpoints(d.domain, ""); }),
                "rank 0: checkpoint folder is ''; allowed is a path");
    const std::string file = folder.at("run") + "/checkpoint-0000000001.json";
    Checkpoints of_a_file(d.domain, file);
    EXPECT_EQ(error_of<InvalidArgument>([&] { return of_a_file.restore(); }),
              "rank 0: checkpoint folder is '" + file + "'; allowed is a folder that can be read: Not a directory");
    Checkpoints nowhere(d.domain, folder.at("no/such"));
    EXPECT_THAT(error_of<InvalidArgument>([&] { nowhere.write(); }), HasSubstr("no/such'; allowed is a folder"));
    EXPECT_TRUE(checkpoints.restore().has_value()) << "an error of a file leaves the domain usable";
  });
}

}  // namespace
}  // namespace halocline::test
