// SPDX-License-Identifier: BSD-3-Clause
#include "io/write_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "halocline/error.hpp"
#include "support/error_of.hpp"

namespace halocline::io {
namespace {

namespace fs = std::filesystem;
using halocline::test::error_of;
using testing::HasSubstr;
using testing::StartsWith;

class WriteFile : public testing::Test {
 protected:
  WriteFile() {
    std::string name = testing::TempDir() + "halocline-write-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~WriteFile() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static mode_t permissions(const std::string& path) {
    struct stat file {};
    EXPECT_EQ(stat(path.c_str(), &file), 0) << path;
    return file.st_mode & 0777U;
  }
  /// Including temporary files.
  [[nodiscard]] std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(WriteFile, MakesANewFile) {
  const std::string text("a\0b\n", 4);
  write_file("--csv", at("new"), text);
  EXPECT_EQ(content(at("new")), text);
  EXPECT_EQ(files(), 1);
  write_file("--csv", at("empty"), "");
  EXPECT_TRUE(fs::is_empty(at("empty")));
}

TEST_F(WriteFile, PermissionsFollowTheUmaskAndTheOldFile) {
  const mode_t before = umask(027);
  write_file("--csv", at("data"), "x");
  write_file("--output", at("program"), "x", FileKind::program);
  umask(before);
  EXPECT_EQ(permissions(at("data")), 0640U);
  EXPECT_EQ(permissions(at("program")), 0750U);
  for (const mode_t mode : {0600U, 0666U}) {
    ASSERT_EQ(chmod(at("data").c_str(), mode), 0);
    write_file("--csv", at("data"), "y");
    EXPECT_EQ(permissions(at("data")), mode);
  }
  write_file("--output", at("data"), "y", FileKind::program);
  EXPECT_EQ(permissions(at("data")), 0777U);
}

TEST_F(WriteFile, ReplacesTheFileAndNotItsContent) {
  put(at("old"), "old");
  fs::create_hard_link(at("old"), at("kept"));
  write_file("--csv", at("old"), "new");
  EXPECT_EQ(content(at("old")), "new");
  EXPECT_EQ(content(at("kept")), "old");
  EXPECT_EQ(files(), 2);
}

/// Sets the file size limit of the process, so that a write fails after a part was written.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;
  ~SizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(WriteFile, AWriteThatFailsLeavesTheOldFile) {
  put(at("old"), "old");
  const std::string large(100'000, 'x');
  {
    const SizeLimit limit(65536);
    for (const char* name : {"old", "new"}) {
      const std::string error = error_of<ResourceError>([&] { write_file("--csv", at(name), large); });
      EXPECT_EQ(error, "--csv '" + at(name) + "' cannot be written: File too large");
    }
    sigset_t pending{};
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
  }
  EXPECT_EQ(content(at("old")), "old");
  EXPECT_EQ(files(), 1) << "a temporary was left";
}

TEST_F(WriteFile, ALinkToAFileIsRefused) {
  put(at("victim"), "victim");
  fs::create_symlink("victim", at("link"));
  fs::create_symlink("nothing", at("dangling"));
  for (const char* name : {"link", "dangling"}) {
    const auto attempt = [&] { write_file("--csv", at(name), "new"); };
    EXPECT_THAT(error_of<InvalidArgument>(attempt), HasSubstr("is a symbolic link, which is not followed"));
    EXPECT_THROW(check_writable("--csv", at(name)), InvalidArgument);
    EXPECT_TRUE(fs::is_symlink(at(name)));
  }
  EXPECT_EQ(content(at("victim")), "victim");
  EXPECT_EQ(files(), 3);
}

TEST_F(WriteFile, DevicesAreWrittenToAndStay) {
  // Through a symbolic link, so that an error here would remove the link and not the device.
  fs::create_symlink("/dev/null", at("null"));
  fs::create_symlink("/dev/full", at("full"));
  check_writable("--csv", at("null"));
  write_file("--csv", at("null"), "x");
  check_writable("--csv", at("full"));
  EXPECT_EQ(error_of<ResourceError>([&] { write_file("--csv", at("full"), "x"); }),
            "--csv '" + at("full") + "' cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_symlink(at("null")));
  EXPECT_TRUE(fs::is_symlink(at("full")));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(WriteFile, APipeIsWrittenToAndStays) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  check_writable("--csv", at("pipe"));
  std::string read;
  std::thread reader([&] { read = content(at("pipe")); });
  write_file("--csv", at("pipe"), std::string(200'000, 'x'));
  reader.join();
  EXPECT_EQ(read, std::string(200'000, 'x'));
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
}

TEST_F(WriteFile, APathWithoutAFileIsTheUsersError) {
  put(at("file"), "x");
  fs::create_directory(at("folder"));
  for (const std::string& path : {std::string(), at("no/x.csv"), at("file/x.csv"), at("folder"), at("folder/"),
                                  at("folder/."), at(std::string(300, 'n'))}) {
    const std::string start = "--csv is '" + path + "'; allowed is a file that can be written, in a folder that can: ";
    EXPECT_THAT(error_of<InvalidArgument>([&] { write_file("--csv", path, "x"); }), StartsWith(start));
    EXPECT_THAT(error_of<InvalidArgument>([&] { check_writable("--csv", path); }), StartsWith(start));
  }
  EXPECT_EQ(files(), 2);
}

TEST_F(WriteFile, CheckingChangesNothing) {
  put(at("old"), "old");
  check_writable("--csv", at("old"));
  check_writable("--csv", at("new"));
  EXPECT_EQ(content(at("old")), "old");
  EXPECT_EQ(files(), 1);
}

/// Root may write everything; so a test of permissions continues as another user.
class NotRoot {
 public:
  explicit NotRoot(const fs::path& folder) : before_(geteuid()) {
    constexpr uid_t nobody = 65534;
    if (before_ != 0) return;
    EXPECT_EQ(chown(folder.c_str(), nobody, static_cast<gid_t>(-1)), 0);
    EXPECT_EQ(seteuid(nobody), 0);
  }
  NotRoot(const NotRoot&) = delete;
  NotRoot& operator=(const NotRoot&) = delete;
  ~NotRoot() { EXPECT_EQ(seteuid(before_), 0); }

 private:
  uid_t before_;
};

TEST_F(WriteFile, RefusesWhatIsReadOnly) {
  const NotRoot somebody(folder_);
  put(at("old"), "old");
  ASSERT_EQ(chmod(at("old").c_str(), 0400), 0);
  EXPECT_THROW(write_file("--csv", at("old"), "new"), InvalidArgument);
  ASSERT_EQ(chmod(at("old").c_str(), 0600), 0);
  ASSERT_EQ(chmod(folder_.c_str(), 0500), 0);
  EXPECT_THROW(write_file("--csv", at("old"), "new"), InvalidArgument);
  EXPECT_THROW(check_writable("--csv", at("new")), InvalidArgument);
  ASSERT_EQ(chmod(folder_.c_str(), 0700), 0);
  EXPECT_EQ(content(at("old")), "old");
}

TEST_F(WriteFile, ARelativePathIsOfTheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  write_file("--csv", "here", "x");
  fs::current_path(before);
  EXPECT_EQ(content(at("here")), "x");
}

TEST_F(WriteFile, StandardOutputMayBeARegularFile) {
  const int before = dup(STDOUT_FILENO);
  std::fflush(stdout);
  const int file = open(at("output").c_str(), O_WRONLY | O_CREAT, 0600);
  dup2(file, STDOUT_FILENO);
  close(file);
  std::printf("first\n");
  write_file("--csv", "/dev/stdout", "second\n");
  std::printf("third\n");
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  EXPECT_EQ(content(at("output")), "first\nsecond\nthird\n");
}

}  // namespace
}  // namespace halocline::io
