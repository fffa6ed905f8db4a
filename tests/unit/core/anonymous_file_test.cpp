// SPDX-License-Identifier: BSD-3-Clause
#include "core/anonymous_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <string>

#include "halocline/error.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

TEST(AnonymousFile, another_process_sees_the_same_memory) {
  AnonymousFile file(4096);
  file.data()[5] = std::byte{1};
  const auto handle = file.handle();
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    try {
      const AnonymousFile mapped = AnonymousFile::open(handle);
      code = mapped.data()[5] == std::byte{1} ? 0 : 2;
      mapped.data()[6] = std::byte{2};
    } catch (const Error&) {
      code = 3;
    }
    ::_exit(code);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(file.data()[6], std::byte{2});
}

TEST(AnonymousFile, a_handle_that_points_to_something_else_is_refused) {
  AnonymousFile file(4096);
  auto handle = file.handle();
  ++handle.inode;
  EXPECT_THROW(AnonymousFile::open(handle), CapabilityError);
  handle = file.handle();
  handle.fd = 100000;
  EXPECT_THROW(AnonymousFile::open(handle), CapabilityError);
}

TEST(AnonymousFile, is_found_by_the_descriptor_of_its_process) {
  const AnonymousFile file(4096);
  const auto handle = file.handle();
  const auto found = AnonymousFile::handle_of(::getpid(), handle.fd);
  EXPECT_EQ(found.inode, handle.inode);
  EXPECT_EQ(found.device, handle.device);
  EXPECT_EQ(found.bytes, handle.bytes);
  AnonymousFile::open(found).data()[7] = std::byte{7};
  EXPECT_EQ(file.data()[7], std::byte{7});
  EXPECT_THROW(static_cast<void>(AnonymousFile::handle_of(::getpid(), 100000)), CapabilityError);
}

TEST(AnonymousFile, has_no_handle_without_its_descriptor_and_says_why) {
  AnonymousFile file(4096);
  const int fd = file.handle().fd;
  const int kept = ::dup(fd);
  ::close(fd);
  try {
    (void)file.handle();
    ADD_FAILURE();
  } catch (const ResourceError& error) {
    EXPECT_STREQ(error.what(), "cannot stat shared memory: Bad file descriptor");
  }
  ::dup2(kept, fd);
  ::close(kept);
}

TEST(AnonymousFile, what_cannot_be_had_is_an_error_with_the_number_of_bytes) {
  EXPECT_THROW(AnonymousFile(0), InvalidArgument);
  try {
    AnonymousFile(std::size_t{1} << 62);
    FAIL();
  } catch (const ResourceError& error) {
    EXPECT_NE(std::string(error.what()).find("4611686018427387904 bytes"), std::string::npos) << error.what();
  }
}

TEST(AnonymousFile, needs_a_descriptor) {
  const int lowest = ::dup(STDERR_FILENO);  // the next ones are above
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{static_cast<rlim_t>(lowest), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::string error = test::error_of<ResourceError>([] { return AnonymousFile(4096).data(); });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ::close(lowest);
  EXPECT_EQ(error, "memfd_create: Too many open files");
}

TEST(AnonymousFile, that_another_process_made_has_no_handle_here) {
  const AnonymousFile made(4096);
  const AnonymousFile opened = AnonymousFile::open(made.handle());
  EXPECT_EQ(test::error_of<InternalError>([&] { return opened.handle().fd; }),
            "handle of an AnonymousFile that this process did not create");
}

TEST(AnonymousFile, is_unmapped_where_another_takes_its_place) {
  AnonymousFile first(4096);
  AnonymousFile second(8192);
  const AnonymousFileHandle handle = second.handle();
  std::byte* const data = second.data();
  first = std::move(second);
  EXPECT_EQ(first.data(), data);
  EXPECT_EQ(first.handle().inode, handle.inode);
  EXPECT_EQ(second.data(), nullptr);  // NOLINT(bugprone-use-after-move)
  AnonymousFile& same = first;
  first = std::move(same);
  EXPECT_EQ(first.data(), data) << "moved to itself";
}

TEST(AnonymousFile, of_more_bytes_than_the_file_has_is_refused) {
  AnonymousFile file(4096);
  auto handle = file.handle();
  handle.bytes = 4097;
  EXPECT_THROW(AnonymousFile::open(handle), CapabilityError);
  handle.bytes = 0;
  EXPECT_THROW(AnonymousFile::open(handle), CapabilityError);
}

TEST(AnonymousFile, another_file_is_refused_without_being_opened) {
  // Opening a foreign file can have side effects: it unblocks the writer of a pipe, or rewinds a tape.
  std::string path = testing::TempDir() + "halocline_other_XXXXXX";
  const int fd = ::mkstemp(path.data());
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::ftruncate(fd, 4096), 0);
  struct stat status {};
  ASSERT_EQ(::fstat(fd, &status), 0);
  const int opened = ::inotify_init1(IN_NONBLOCK);
  ASSERT_GE(::inotify_add_watch(opened, path.c_str(), IN_OPEN), 0);
  EXPECT_THROW(AnonymousFile::open({::getpid(), fd, 4096, status.st_dev, status.st_ino + 1}), CapabilityError);
  inotify_event event{};
  EXPECT_EQ(::read(opened, &event, sizeof event), -1) << "it was opened";
  ::close(opened);
  ::close(fd);
  ::unlink(path.c_str());
}

TEST(AnonymousFile, is_its_users_own_and_cannot_be_resized_or_executed) {
  const AnonymousFile file(4096);
  const int fd = file.handle().fd;
  struct stat status {};
  ASSERT_EQ(::fstat(fd, &status), 0);
  EXPECT_EQ(status.st_mode & 07777, S_IRUSR | S_IWUSR);
  EXPECT_EQ(::ftruncate(fd, 0), -1);
  EXPECT_EQ(::ftruncate(fd, 8192), -1);
  const int seals = ::fcntl(fd, F_GET_SEALS);
  EXPECT_EQ(seals & (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

TEST(AnonymousFile, beyond_the_limit_of_file_sizes_is_an_error_that_names_it) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit less = before;
  less.rlim_cur = 8192;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &less), 0);
  std::string said;
  try {
    const AnonymousFile fits(8192);
    const AnonymousFile too_large(8193);
  } catch (const ResourceError& error) {
    said = error.what();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_NE(said.find("8193 bytes"), std::string::npos) << said;
  EXPECT_NE(said.find("RLIMIT_FSIZE, ulimit -f) is 8192 bytes"), std::string::npos) << said;
}

TEST(AnonymousFile, moving_leaves_nothing_behind) {
  AnonymousFile a(4096);
  std::byte* at = a.data();
  AnonymousFile b(std::move(a));
  EXPECT_EQ(b.data(), at);
  a = std::move(b);
  EXPECT_EQ(a.data(), at);
}

}  // namespace
}  // namespace halocline
