// SPDX-License-Identifier: BSD-3-Clause
#include "io/update_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "halocline/error.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

namespace halocline::io {
namespace {

using test::error_of;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::size_t kilobyte = 1024;

class UpdateFile : public testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return folder_.at("f"); }

  test::TemporaryFolder folder_;
};

TEST_F(UpdateFile, ChangesWhatIsThere) {
  const auto append = [](const std::optional<std::string>& before) { return before.value_or("none") + "+"; };
  update_file("f", path(), kilobyte, 1s, append);
  update_file("f", path(), kilobyte, 1s, append);
  EXPECT_EQ(content_if_there("f", path(), kilobyte), "none++");
}

TEST_F(UpdateFile, NoFileIsNoContent) { EXPECT_EQ(content_if_there("f", path(), kilobyte), std::nullopt); }

TEST_F(UpdateFile, ALongerFileIsRefused) {
  update_file("f", path(), kilobyte, 1s, [](const auto&) { return std::string(2 * kilobyte, 'x'); });
  EXPECT_THAT(error_of<ResourceError>([&] { return content_if_there("f", path(), kilobyte); }),
              HasSubstr("cannot be read: File too large"));
}

TEST_F(UpdateFile, ALockThatIsNotFreeIsAnError) {
  const int other = open((path() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  EXPECT_THAT(error_of<ResourceError>([&] {
                update_file("f", path(), kilobyte, 20ms, [](const auto&) { return "x"; });
                return 0;
              }),
              HasSubstr("cannot be locked: Device or resource busy"));
  EXPECT_EQ(content_if_there("f", path(), kilobyte), std::nullopt);
  close(other);
}

TEST_F(UpdateFile, AFolderThatIsNotThereIsRefusedBeforeTheChange) {
  bool changed = false;
  EXPECT_THAT(error_of<InvalidArgument>([&] {
                update_file("f", folder_.at("none/f"), kilobyte, 1s, [&](const auto&) {
                  changed = true;
                  return "x";
                });
                return 0;
              }),
              HasSubstr("f is '"));
  EXPECT_FALSE(changed);
}

/// Each process adds lines of its own; none is lost.
TEST_F(UpdateFile, ProcessesTakeTurns) {
  constexpr int processes = 4;
  constexpr int lines = 25;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        for (int i = 0; i < lines; ++i) {
          update_file("f", path(), 64 * kilobyte, 60s, [&](const std::optional<std::string>& before) {
            return before.value_or("") + std::to_string(p) + " " + std::to_string(i) + "\n";
          });
        }
        _exit(0);
      } catch (const std::exception&) {
        _exit(1);
      }
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const std::string content = content_if_there("f", path(), 64 * kilobyte).value_or("");
  EXPECT_EQ(std::ranges::count(content, '\n'), processes * lines);
}

}  // namespace
}  // namespace halocline::io
