// SPDX-License-Identifier: BSD-3-Clause
#include "core/foreign_descriptor.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <string>
#include <utility>

#include "halocline/error.hpp"

namespace halocline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Why a descriptor cannot be taken.
std::string refusal(const DescriptorHandle& handle) {
  try {
    static_cast<void>(take_descriptor(handle));
    return "taken";
  } catch (const CapabilityError& error) {
    return error.what();
  }
}

/// A descriptor of a memory file with a word in it.
OwnDescriptor word_file(std::uint64_t word) {
  OwnDescriptor file(::memfd_create("descriptor", MFD_CLOEXEC));
  EXPECT_EQ(::pwrite(file.get(), &word, sizeof word, 0), static_cast<ssize_t>(sizeof word));
  return file;
}

std::uint64_t word_in(const OwnDescriptor& file) {
  std::uint64_t word = 0;
  EXPECT_EQ(::pread(file.get(), &word, sizeof word, 0), static_cast<ssize_t>(sizeof word));
  return word;
}

/// Whether a process may take descriptors at all here; a seccomp filter, as containers have by default, may forbid it.
bool is_forbidden() {
  const OwnDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  const OwnDescriptor taken(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), STDERR_FILENO, 0)));
  return taken.get() < 0 && (errno == EPERM || errno == ENOSYS);
}
constexpr const char* forbidden = "pidfd_getfd is forbidden here, as by the seccomp filter of a container";

/// A child that has a descriptor of its own open, and ends with this object.
class Owner {
 public:
  explicit Owner(std::uint64_t word) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    child_ = ::fork();
    if (child_ == 0) {
      const OwnDescriptor file = word_file(word);
      const DescriptorHandle handle = handle_of_descriptor(file.get());
      static_cast<void>(::write(pipe[1], &handle, sizeof handle) < 0);
      ::pause();
      ::_exit(0);
    }
    EXPECT_EQ(::read(pipe[0], &handle_, sizeof handle_), static_cast<ssize_t>(sizeof handle_));
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
  ~Owner() { end(); }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  void end() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(std::exchange(child_, 0), nullptr, 0);
  }
  [[nodiscard]] const DescriptorHandle& handle() const { return handle_; }

 private:
  DescriptorHandle handle_;
  pid_t child_ = 0;
};

TEST(OwnDescriptor, IsNotInherited) {
  const OwnDescriptor file(::memfd_create("inherited", 0));
  EXPECT_EQ(::fcntl(file.get(), F_GETFD), FD_CLOEXEC);
}

TEST(ForeignDescriptor, is_another_processes_file) {
  if (is_forbidden()) GTEST_SKIP() << forbidden;
  const Owner owner(4711);
  const OwnDescriptor taken = take_descriptor(owner.handle());
  EXPECT_EQ(word_in(taken), 4711u);
  EXPECT_EQ(::fcntl(taken.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(ForeignDescriptor, outlives_its_owner) {
  if (is_forbidden()) GTEST_SKIP() << forbidden;
  Owner owner(5);
  const OwnDescriptor taken = take_descriptor(owner.handle());
  owner.end();
  EXPECT_EQ(word_in(taken), 5u);
}

TEST(ForeignDescriptor, of_this_process_is_another_number) {
  if (is_forbidden()) GTEST_SKIP() << forbidden;
  const OwnDescriptor file = word_file(6);
  const OwnDescriptor taken = take_descriptor(handle_of_descriptor(file.get()));
  EXPECT_NE(taken.get(), file.get());
  EXPECT_EQ(word_in(taken), 6u);
}

TEST(ForeignDescriptor, of_a_process_that_ended_is_refused) {
  Owner owner(7);
  owner.end();
  EXPECT_THAT(refusal(owner.handle()), AllOf(HasSubstr("cannot take descriptor"),
                                             HasSubstr("pidfd_open: No such process; the process has ended")));
}

TEST(ForeignDescriptor, that_was_closed_is_refused) {
  if (is_forbidden()) GTEST_SKIP() << forbidden;
  const Owner owner(8);
  DescriptorHandle handle = owner.handle();
  handle.fd = 1000;
  EXPECT_THAT(refusal(handle), HasSubstr("pidfd_getfd: Bad file descriptor; the process has closed it"));
}

TEST(ForeignDescriptor, of_another_host_is_refused) {
  const OwnDescriptor file = word_file(9);
  DescriptorHandle handle = handle_of_descriptor(file.get());
  handle.host += 1;
  EXPECT_THAT(refusal(handle), HasSubstr("it runs on another host"));
}

TEST(ForeignDescriptor, of_another_container_is_refused) {
  const OwnDescriptor file = word_file(10);
  DescriptorHandle handle = handle_of_descriptor(file.get());
  handle.pid_namespace += 1;
  EXPECT_THAT(refusal(handle), HasSubstr("another PID namespace (another container)"));
}

/// A user other than root may not take descriptors of a process of another user.
TEST(ForeignDescriptor, of_a_process_that_may_not_be_traced_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs to become another user";
  const Owner owner(11);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::string text = ::setresuid(65534, 65534, 0) == 0 ? refusal(owner.handle()) : "no setresuid";
    static_cast<void>(::write(pipe[1], text.data(), text.size()) < 0);
    if (::setresuid(0, 0, 0) != 0) ::_exit(1);  // whose files `make coverage` writes
    ::_exit(0);
  }
  ::close(pipe[1]);
  std::array<char, 512> text{};
  EXPECT_GT(::read(pipe[0], text.data(), text.size() - 1), 0);
  ::close(pipe[0]);
  ::waitpid(child, nullptr, 0);
  // Where other users' processes may be traced, a capability is missing; the kernel's setting is named where it forbids more.
  std::string scope;
  std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
  const bool strict = !scope.empty() && scope != "0";
  EXPECT_EQ(std::string(text.data()),
            "cannot take descriptor " + std::to_string(owner.handle().fd) + " of process " +
                std::to_string(owner.handle().pid) +
                ": pidfd_getfd: Operation not permitted; allowed are ranks of one user that may trace each other" +
                (strict ? ": kernel.yama.ptrace_scope is " + scope + ", 0 permits it"
                        : ", in containers with CAP_SYS_PTRACE"));
}

}  // namespace
}  // namespace halocline
