// SPDX-License-Identifier: BSD-3-Clause
// Files by POSIX calls. Errors are std::system_error with errno. The profiling library compiles users of this file into itself,
// so it uses only the C and C++ libraries.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace halocline {

[[noreturn]] inline void fail_with(int error) { throw std::system_error(error, std::generic_category()); }

/// The result of a call, or errno as an exception.
template <typename Result>
Result checked_call(Result result) {
  if (result < 0) fail_with(errno);
  return result;
}

/// An open file. Owner.
class Descriptor {
 public:
  explicit Descriptor(int file) : file_(checked_call(file)) {}
  Descriptor(Descriptor&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Descriptor(const Descriptor&) = delete;  // one file one owner
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (file_ >= 0) ::close(file_);
  }

  [[nodiscard]] int get() const { return file_; }
  /// Some file systems report failed writes here.
  void close() {
    if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) fail_with(errno);
  }
  void sync() const {
    // EINVAL: the file system does not support synchronisation.
    if (::fsync(file_) != 0 && errno != EINVAL) fail_with(errno);
  }

 private:
  int file_;
};

/// During the lifetime of this object, exceeding RLIMIT_FSIZE is an error of this thread's writes (EFBIG) and does not end the
/// process.
class SizeLimitAsError {
 public:
  SizeLimitAsError() {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  SizeLimitAsError(const SizeLimitAsError&) = delete;  // restores the mask once
  SizeLimitAsError& operator=(const SizeLimitAsError&) = delete;
  ~SizeLimitAsError() {
    const timespec now{};
    ::sigtimedwait(&signal_, nullptr, &now);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

/// Writes all bytes. write: of some bytes and of how many were written before, as ::write.
template <typename Write>
void write_all_by(std::span<const std::byte> bytes, Write&& write) {
  const SizeLimitAsError limit;
  for (std::size_t done = 0; done < bytes.size();) {
    const auto written = write(bytes.subspan(done), done);
    if (written < 0 && errno == EINTR) continue;
    done += static_cast<std::size_t>(checked_call(written));
  }
}
inline void write_all(int file, std::span<const std::byte> bytes) {
  write_all_by(bytes, [&](auto rest, std::size_t) { return ::write(file, rest.data(), rest.size()); });
}
inline void write_all_at(int file, std::span<const std::byte> bytes, std::int64_t offset) {
  write_all_by(bytes, [&](auto rest, std::size_t done) {
    return ::pwrite(file, rest.data(), rest.size(), static_cast<off_t>(offset) + static_cast<off_t>(done));
  });
}
/// Fails with EFBIG if this process may not write files of that size.
inline void check_file_size(std::int64_t bytes) {
  rlimit limit{};
  checked_call(::getrlimit(RLIMIT_FSIZE, &limit));
  if (static_cast<rlim_t>(bytes) > limit.rlim_cur) fail_with(EFBIG);
}
/// Reserves space for a file of that size, which stays as long as it is. Does nothing on file systems that cannot.
inline void reserve_space(int file, std::int64_t bytes) {
  const SizeLimitAsError limit;
  while (::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) != 0) {
    if (errno == EOPNOTSUPP || errno == ENOSYS) return;
    if (errno != EINTR) fail_with(errno);
  }
}
/// Reads up to bytes.size() bytes, fewer only at the end of the file; returns how many.
[[nodiscard]] inline std::size_t read_at(int file, std::span<std::byte> bytes, std::int64_t offset) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto got =
        ::pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset) + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (checked_call(got) == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

/// The content from the current position. Fails with EFBIG if it is larger than `most` bytes.
[[nodiscard]] inline std::string read_rest(const Descriptor& file, std::size_t most = std::string::npos) {
  constexpr std::size_t part = 65536;
  std::string text;
  for (std::size_t done = 0;;) {
    text.resize(done + part);
    const auto got = ::read(file.get(), text.data() + done, part);
    if (got < 0 && errno == EINTR) continue;
    done += static_cast<std::size_t>(checked_call(got));
    if (done > most) fail_with(EFBIG);
    if (got > 0) continue;
    text.resize(done);
    return text;
  }
}
/// The whole content of a file, which may be a pipe.
[[nodiscard]] inline std::string read_file(const std::string& path, std::size_t most = std::string::npos) {
  return read_rest(Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), most);
}

}  // namespace halocline
