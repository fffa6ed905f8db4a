// SPDX-License-Identifier: BSD-3-Clause
#include "core/anonymous_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/detail/available_memory.hpp"
#include "core/log.hpp"
#include "core/short_text.hpp"
#include "halocline/error.hpp"

namespace halocline {
namespace {

std::string reason() { return std::strerror(errno); }

std::string path_of(std::int64_t pid, int fd) { return "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd); }

std::byte* map(int fd, std::size_t bytes) {
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

/// MFD_NOEXEC_SEAL of Linux 6.3; older headers do not define it, and older kernels reject it.
constexpr unsigned int noexec_seal = 0x0008U;

/// Creates a file without a name that is neither executable nor open to other users.
int create(const char* name) {
  int fd = ::memfd_create(name, MFD_CLOEXEC | noexec_seal);
  if (fd < 0) fd = ::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) throw ResourceError("memfd_create: " + reason());
  if (::fchmod(fd, S_IRUSR | S_IWUSR) != 0) log(LogLevel::warning, "fchmod of shared memory: " + reason());
  return fd;
}

/// Sets the size for good, so that no process can truncate memory that another one has mapped.
void seal(int fd) {
  if (::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    log(LogLevel::warning, "F_ADD_SEALS of shared memory: " + reason());
  }
}

/// Returns why the process may not create a file of that size; empty if it may. Beyond this limit the kernel sends
/// SIGXFSZ, which ends the process.
std::string above_limit(std::size_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur) return {};
  return "the limit of file sizes (RLIMIT_FSIZE, ulimit -f) is " + std::to_string(limit.rlim_cur) +
         " bytes, and shared memory is an anonymous file; allowed is a limit of that size or more";
}

/// Bytes that are reserved between two queries of how much memory is left.
constexpr std::size_t step_bytes = std::size_t{64} << 20;

/// Backs the whole file with memory; returns the reason if that fails, and an empty string otherwise. The kernel ends
/// processes rather than refuse memory that it does not have, so the available memory is queried first. It is queried
/// before each step, because other ranks reserve memory at the same time.
std::string reserve(int fd, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t step = std::min(step_bytes, bytes - done);
    const std::uint64_t left = available_memory();
    // The first query is for the whole file, so that a file that cannot fit takes nothing. A sixteenth is left to other
    // processes.
    const std::size_t needed = done == 0 ? bytes : step;
    if (needed > left - left / 16) return "only " + std::to_string(left) + " bytes of memory are available";
    const int failed = ::posix_fallocate(fd, static_cast<off_t>(done), static_cast<off_t>(step));
    if (failed != 0) return std::strerror(failed);
    done += step;
  }
  return {};
}

}  // namespace

AnonymousFile::AnonymousFile(std::size_t bytes, const char* name) {
  if (bytes == 0) throw InvalidArgument("bytes of shared memory is 0; allowed is 1 or more");
  fd_ = create(name);
  // A lack of memory is reported here, not by a signal at first use.
  std::string why = above_limit(bytes);
  if (why.empty()) why = reserve(fd_, bytes);
  if (why.empty()) {
    seal(fd_);
    data_ = map(fd_, bytes);
    if (data_ == nullptr) why = reason();
  }
  if (!why.empty()) {
    release();
    throw ResourceError("cannot have " + std::to_string(bytes) + " bytes of shared memory: " + why);
  }
  bytes_ = bytes;
}

AnonymousFileHandle AnonymousFile::handle_of(std::int64_t pid, int fd) {
  const std::string path = path_of(pid, fd);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw CapabilityError("cannot stat " + path + ": " + reason());
  return {.pid = pid,
          .fd = fd,
          .bytes = static_cast<std::uint64_t>(status.st_size),
          .device = status.st_dev,
          .inode = status.st_ino};
}

AnonymousFile AnonymousFile::open(const AnonymousFileHandle& handle) {
  const std::string path = path_of(handle.pid, handle.fd);
  const auto refuse = [&](const char* verb) {
    throw CapabilityError(std::string("cannot ") + verb + " " + path + ": " + reason());
  };
  // The descriptor may by now refer to another file of any kind: O_PATH inspects it without opening it.
  AnonymousFile file;
  file.fd_ = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (file.fd_ < 0) refuse("open");
  struct stat status {};
  if (::fstat(file.fd_, &status) != 0) refuse("stat");
  if (status.st_dev != handle.device || status.st_ino != handle.inode || !S_ISREG(status.st_mode)) {
    throw CapabilityError(path + " is another file than the one that was exported");
  }
  if (handle.bytes == 0 || std::cmp_less(status.st_size, handle.bytes)) {
    throw CapabilityError(path + " has " + std::to_string(status.st_size) + " bytes; expected were " +
                          std::to_string(handle.bytes));
  }
  const std::string same = "/proc/self/fd/" + std::to_string(file.fd_);
  const int fd = ::open(same.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) refuse("open");
  ::close(std::exchange(file.fd_, fd));
  file.data_ = map(fd, handle.bytes);
  if (file.data_ == nullptr) refuse("map");
  file.bytes_ = handle.bytes;
  // The mapping outlives the descriptor.
  ::close(std::exchange(file.fd_, -1));
  return file;
}

AnonymousFile::AnonymousFile(AnonymousFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      fd_(std::exchange(other.fd_, -1)) {}

AnonymousFile& AnonymousFile::operator=(AnonymousFile&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

AnonymousFile::~AnonymousFile() { release(); }

AnonymousFileHandle AnonymousFile::handle() const {
  if (fd_ < 0) throw InternalError("handle of an AnonymousFile that this process did not create");
  struct stat status {};
  if (::fstat(fd_, &status) != 0) throw ResourceError("cannot stat shared memory: " + reason());
  return {.pid = ::getpid(), .fd = fd_, .bytes = bytes_, .device = status.st_dev, .inode = status.st_ino};
}

void AnonymousFile::release() noexcept {
  if (data_ != nullptr && ::munmap(data_, bytes_) != 0) {
    log(LogLevel::error, ShortText("munmap failed: {}", std::strerror(errno)));
  }
  if (fd_ >= 0 && ::close(fd_) != 0) log(LogLevel::error, ShortText("close failed: {}", std::strerror(errno)));
  data_ = nullptr;
  bytes_ = 0;
  fd_ = -1;
}

}  // namespace halocline
