// SPDX-License-Identifier: BSD-3-Clause
#include "core/foreign_descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "core/hash.hpp"
#include "core/log.hpp"
#include "core/short_text.hpp"
#include "halocline/error.hpp"

namespace halocline {
namespace {

/// System calls of Linux 5.3 and 5.6, by their numbers, which are the same on all architectures: older headers do not define them.
constexpr long call_pidfd_open = 434;
constexpr long call_pidfd_getfd = 438;

/// 0 where /proc is not there: then processes are taken to be in one.
std::uint64_t own_pid_namespace() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? static_cast<std::uint64_t>(status.st_ino) : 0;
}

std::string what_permits(int error) {
  std::string yama;
  switch (error) {
    case EPERM:
      std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> yama;
      return std::string("; allowed are ranks of one user that may trace each other") +
             (yama.empty() || yama == "0" ? ", in containers with CAP_SYS_PTRACE"
                                          : ": kernel.yama.ptrace_scope is " + yama + ", 0 permits it");
    case ENOSYS: return "; allowed are Linux 5.6 or newer, and a seccomp filter that lets pidfd_getfd pass";
    case ESRCH: return "; the process has ended";
    case EBADF: return "; the process has closed it";
    default: return {};
  }
}

[[noreturn]] void refuse_to_take(const DescriptorHandle& handle, const char* call) {
  const int error = errno;
  throw CapabilityError("cannot take descriptor " + std::to_string(handle.fd) + " of process " +
                        std::to_string(handle.pid) + ": " + call + ": " + std::strerror(error) + what_permits(error));
}

}  // namespace

std::uint64_t host_identity() {
  static const std::uint64_t known = [] {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    return boot.empty() ? std::uint64_t{0} : Hash().add(std::string_view(boot)).value();
  }();
  return known;
}

DescriptorHandle handle_of_descriptor(int fd) {
  return {.host = host_identity(), .pid_namespace = own_pid_namespace(), .pid = ::getpid(), .fd = fd};
}

OwnDescriptor::OwnDescriptor(int fd) : fd_(fd) {
  if (fd >= 0) static_cast<void>(::fcntl(fd, F_SETFD, FD_CLOEXEC));
}

OwnDescriptor::~OwnDescriptor() {
  if (fd_ >= 0 && ::close(fd_) != 0) log(LogLevel::error, ShortText("close failed: {}", std::strerror(errno)));
}

OwnDescriptor::OwnDescriptor(OwnDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

OwnDescriptor take_descriptor(const DescriptorHandle& handle) {
  const auto refuse_place = [&](const char* where) {
    throw CapabilityError("cannot take descriptor " + std::to_string(handle.fd) + " of process " +
                          std::to_string(handle.pid) + ": it runs " + where + "; allowed are processes of one");
  };
  if (handle.host != host_identity()) refuse_place("on another host");
  if (handle.pid_namespace != own_pid_namespace()) refuse_place("in another PID namespace (another container)");
  const OwnDescriptor process(static_cast<int>(::syscall(call_pidfd_open, handle.pid, 0)));
  if (process.get() < 0) refuse_to_take(handle, "pidfd_open");
  OwnDescriptor taken(static_cast<int>(::syscall(call_pidfd_getfd, process.get(), handle.fd, 0)));
  if (taken.get() < 0) refuse_to_take(handle, "pidfd_getfd");
  return taken;
}

}  // namespace halocline
