// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints with damage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "comm/local_ranks.hpp"
#include "contract/files/files_case.hpp"
#include "io/manifest.hpp"
#include "support/effort.hpp"
#include "support/error_of.hpp"

namespace halocline::test {
namespace {

using testing::HasSubstr;

/// Two checkpoints of one domain, of salts 1 and 2.
class Damage : public testing::Test {
 protected:
  Damage() {
    comm::run_as_threads(2, [&](comm::RankGroup& comm) {
      FilesDomain d(comm, c);
      Checkpoints checkpoints(d.domain, run);
      for (const int salt : {1, 2}) {
        fill(d, salt);
        checkpoints.write({{"salt", std::to_string(salt)}});
      }
    });
  }

  /// Restores on one rank; the first checkpoint must be the one that is taken. Returns why the second was refused.
  static std::string refusal(FilesDomain& d, Checkpoints& checkpoints) {
    fill(d, -1);
    const auto restored = checkpoints.restore();
    if (!restored || restored->metadata.at("salt") != "1" || different(d, 1) != 0) return "(not the one before)";
    return restored->refused.size() == 1 ? restored->refused.front() : "(not one)";
  }

  FilesCase c;
  TemporaryFolder folder;
  std::string run = folder.at("run");
};

TEST_F(Damage, of_any_512th_byte_is_noticed) {
  std::int64_t flips = 0;
  comm::run_as_threads(1, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, c);
    Checkpoints checkpoints(d.domain, run);
    for (const char* name : {".json", "-0.raw", "-1.raw"}) {
      const std::string path = run + "/checkpoint-0000000002" + name;
      const std::string whole = content_of(path);
      ASSERT_GT(whole.size(), 1024u);
      for (std::size_t at = 0; at < whole.size(); at += static_cast<std::size_t>(512 * one_in)) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at / 512 % 8)));
        put_content(path, damaged);
        EXPECT_THAT(refusal(d, checkpoints), HasSubstr(run + "/checkpoint-0000000002")) << name << ", byte " << at;
        ++flips;
      }
      put_content(path, whole);
    }
  });
  EXPECT_GT(flips, 40 / one_in);
}

TEST_F(Damage, of_the_manifest_is_noticed_at_any_byte) {
  comm::run_as_threads(1, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, c);
    Checkpoints checkpoints(d.domain, run);
    const std::string path = run + "/checkpoint-0000000002.json";
    const std::string whole = content_of(path);
    for (std::size_t at = 0; at < whole.size(); at += static_cast<std::size_t>(3 * one_in)) {
      std::string damaged = whole;
      damaged[at] = damaged[at] == ' ' ? '\t' : ' ';  // may be the same document
      if (damaged == whole) continue;
      put_content(path, damaged);
      ASSERT_THAT(refusal(d, checkpoints), HasSubstr("checkpoint-0000000002")) << "byte " << at;
    }
    put_content(path, whole);
  });
}

TEST_F(Damage, by_truncation_and_absence_is_named_on_all_ranks) {
  const std::string raw = run + "/checkpoint-0000000002-1.raw";
  const std::string whole = content_of(raw);
  const auto refusal_on_all = [&] {
    std::vector<std::string> texts(3);
    comm::run_as_threads(3, [&](comm::RankGroup& comm) {
      FilesDomain d(comm, c);
      Checkpoints checkpoints(d.domain, run);
      texts[comm.rank().index()] = refusal(d, checkpoints);
    });
    EXPECT_EQ(texts[0], texts[1]);
    EXPECT_EQ(texts[0], texts[2]);
    return texts[0];
  };
  put_content(raw, whole.substr(0, whole.size() - 1));
  EXPECT_THAT(refusal_on_all(), HasSubstr("checkpoint-0000000002-1.raw' is damaged: it has "));
  put_content(raw, whole + "x");
  EXPECT_THAT(refusal_on_all(), HasSubstr("checkpoint-0000000002-1.raw' is damaged: it has "));
  put_content(raw, content_of(run + "/checkpoint-0000000001-1.raw"));
  EXPECT_THAT(refusal_on_all(), HasSubstr("checkpoint-0000000002-1.raw' is damaged: its last digest"));
  std::filesystem::remove(raw);
  EXPECT_THAT(refusal_on_all(), HasSubstr("checkpoint-0000000002-1.raw' cannot be read: No such file"));
  const std::string manifest = run + "/checkpoint-0000000002.json";
  const std::string intact = content_of(manifest);
  std::filesystem::remove(manifest);
  std::filesystem::create_directory(manifest);
  EXPECT_THAT(refusal_on_all(), HasSubstr("checkpoint manifest '" + manifest + "' cannot be read: Is a directory"));
  std::filesystem::remove(manifest);
  put_content(manifest, intact);
  // What is no manifest, though it may be JSON.
  for (const char* text :
       {"", "{}", "[]", "7", R"({"checkpoint": 7, "xxh3": "0"})", R"({"xxh3": "0123456789abcdef"})"}) {
    put_content(run + "/checkpoint-0000000002.json", text);
    EXPECT_THAT(refusal_on_all(), HasSubstr("checkpoint manifest '" + run + "/checkpoint-0000000002.json': ")) << text;
  }
}

/// A rank that opens a pipe waits for its writer.
TEST_F(Damage, by_a_pipe_in_the_place_of_a_file_is_named) {
  comm::run_as_threads(1, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, c);
    Checkpoints checkpoints(d.domain, run);
    for (const char* name : {".json", "-1.raw"}) {
      const std::string path = run + "/checkpoint-0000000002" + name;
      const std::string whole = content_of(path);
      std::filesystem::remove(path);
      ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
      EXPECT_EQ(refusal(d, checkpoints), "rank 0: '" + path + "' is no regular file; allowed are regular files");
      std::filesystem::remove(path);
      put_content(path, whole);
    }
  });
}

/// The number of cells is right, as one block stands for two; the cells of the other one are in no file.
TEST_F(Damage, of_cells_that_files_have_twice_is_named) {
  const std::string path = run + "/checkpoint-0000000002.json";
  io::Manifest manifest = io::manifest_from(content_of(path), path);
  manifest.files.at(1).blocks = manifest.files.at(0).blocks;
  manifest.files.at(1).file = manifest.files.at(0).file;
  put_content(path, io::text_of(manifest));
  comm::run_as_threads(1, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, c);
    Checkpoints checkpoints(d.domain, run);
    EXPECT_EQ(refusal(d, checkpoints),
              "rank 0: checkpoint manifest '" + path +
                  "': its files have cells twice of field 'u'; allowed are files of each cell once");
  });
}

/// A manifest that is whole, of files that are, but not of all cells.
TEST_F(Damage, of_cells_that_no_file_has_is_named_by_field_on_all_ranks) {
  const std::string path = run + "/checkpoint-0000000002.json";
  io::Manifest manifest = io::manifest_from(content_of(path), path);
  auto& blocks = manifest.files.at(1).blocks;
  ASSERT_EQ(manifest.fields.at(1).name, "v");
  const auto of_v = std::ranges::find(blocks, 1, [](const io::StoredBlock& block) { return block.field; });
  ASSERT_NE(of_v, blocks.end());
  blocks.erase(of_v);
  put_content(path, io::text_of(manifest));
  std::vector<std::string> texts(3);
  comm::run_as_threads(3, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, c);
    Checkpoints checkpoints(d.domain, run);
    texts[comm.rank().index()] = refusal(d, checkpoints);
  });
  EXPECT_EQ(texts[0], "rank 1: checkpoint manifest '" + path +
                          "': its files lack 198 cells of field 'v'; allowed are files of all cells");
  EXPECT_EQ(texts[1], texts[0]);
  EXPECT_EQ(texts[2], texts[0]);
}

TEST_F(Damage, of_all_checkpoints_is_an_error_that_names_each_and_changes_nothing) {
  for (const char* name : {"/checkpoint-0000000001-0.raw", "/checkpoint-0000000002-0.raw"}) put_content(run + name, "");
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, c);
    fill(d, 9);
    Checkpoints checkpoints(d.domain, run);
    const std::string text = error_of<InvalidArgument>([&] { return checkpoints.restore(); });
    EXPECT_THAT(text, HasSubstr("none of the 2 checkpoints in '" + run + "' can be restored:"));
    EXPECT_THAT(text, HasSubstr("checkpoint-0000000001-0.raw"));
    EXPECT_THAT(text, HasSubstr("checkpoint-0000000002-0.raw"));
    EXPECT_EQ(different(d, 9), 0);
  });
}

/// Limits the size of files of this process.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(Damage, does_not_come_from_a_disk_that_is_full) {
  std::vector<std::string> texts(2);
  const auto before = TemporaryFolder::names(run);
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, c);
    Checkpoints checkpoints(d.domain, run);
    fill(d, 3);
    comm.barrier();
    {
      std::optional<FileSizeLimit> limit;
      if (comm.rank().value() == 0) limit.emplace(8192);
      comm.barrier();
      texts[comm.rank().index()] = error_of<ResourceError>([&] { checkpoints.write(); });
      comm.barrier();
    }
    EXPECT_THAT(texts[comm.rank().index()], HasSubstr("-0.raw' cannot be written: File too large"));
    EXPECT_EQ(TemporaryFolder::names(run), before) << "neither rank leaves its file";
    comm.barrier();
    const auto restored = checkpoints.restore();
    ASSERT_TRUE(restored.has_value());
    EXPECT_EQ(restored->metadata.at("salt"), "2");
    fill(d, 4);
    checkpoints.write({{"salt", "4"}});
    EXPECT_EQ(checkpoints.restore()->metadata.at("salt"), "4");
  });
  EXPECT_EQ(texts[0], texts[1]);
}

}  // namespace
}  // namespace halocline::test
