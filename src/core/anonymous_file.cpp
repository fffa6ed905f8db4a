#include "halocline/core/anonymous_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/available_memory.hpp"
#include "halocline/core/error.hpp"
#include "halocline/core/log.hpp"

namespace halocline {
namespace {

std::string reason() { return std::strerror(errno); }

std::byte* map(int fd, std::size_t bytes) {
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

/// What is taken before the kernel is asked again how much is left.
constexpr std::size_t step_bytes = std::size_t{64} << 20;

/// Backs the whole file with memory, or says why not. The kernel would rather end processes than refuse memory that it
/// does not have, so it is asked first, again and again, because other ranks take theirs at the same time.
std::string reserve(int fd, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t step = std::min(step_bytes, bytes - done);
    const std::uint64_t left = available_memory();
    // The first time for all of it, so that what cannot fit takes nothing; a sixteenth stays for everybody else.
    const std::size_t needed = done == 0 ? bytes : step;
    if (needed > left - left / 16) return "only " + std::to_string(left) + " bytes of memory are available";
    const int failed = ::posix_fallocate(fd, static_cast<off_t>(done), static_cast<off_t>(step));
    if (failed != 0) return std::strerror(failed);
    done += step;
  }
  return {};
}

}  // namespace

AnonymousFile::AnonymousFile(std::size_t bytes) {
  if (bytes == 0) throw InvalidArgument("bytes of shared memory is 0; allowed is 1 or more");
  fd_ = ::memfd_create("halocline", MFD_CLOEXEC);
  if (fd_ < 0) throw ResourceError("memfd_create: " + reason());
  // Memory that is not there is reported here, not by a signal at first use.
  std::string why = reserve(fd_, bytes);
  if (why.empty()) {
    data_ = map(fd_, bytes);
    if (data_ == nullptr) why = reason();
  }
  if (!why.empty()) {
    release();
    throw ResourceError("cannot have " + std::to_string(bytes) + " bytes of shared memory: " + why);
  }
  bytes_ = bytes;
}

AnonymousFile AnonymousFile::open(const AnonymousFileHandle& handle) {
  const std::string path = "/proc/" + std::to_string(handle.pid) + "/fd/" + std::to_string(handle.fd);
  AnonymousFile file;
  file.fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file.fd_ < 0) throw CapabilityError("cannot open " + path + ": " + reason());
  struct stat status {};
  if (::fstat(file.fd_, &status) != 0) throw CapabilityError("cannot stat " + path + ": " + reason());
  if (status.st_dev != handle.device || status.st_ino != handle.inode) {
    throw CapabilityError(path + " is another file than the one that was exported");
  }
  file.data_ = map(file.fd_, handle.bytes);
  if (file.data_ == nullptr) throw CapabilityError("cannot map " + path + ": " + reason());
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
  struct stat status {};
  if (fd_ < 0 || ::fstat(fd_, &status) != 0) {
    throw InternalError("handle of an AnonymousFile that this process did not create");
  }
  return {::getpid(), fd_, bytes_, status.st_dev, status.st_ino};
}

void AnonymousFile::release() noexcept {
  if (data_ != nullptr && ::munmap(data_, bytes_) != 0) {
    log(LogLevel::error, "munmap failed: " + reason());
  }
  if (fd_ >= 0 && ::close(fd_) != 0) log(LogLevel::error, "close failed: " + reason());
  data_ = nullptr;
  bytes_ = 0;
  fd_ = -1;
}

}  // namespace halocline
