// SPDX-License-Identifier: BSD-3-Clause
#include "io/update_file.hpp"

#include <fmt/core.h>
#include <sys/file.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "core/clock.hpp"
#include "core/posix_file.hpp"
#include "halocline/error.hpp"
#include "io/write_file.hpp"

namespace halocline::io {
namespace {

constexpr auto pause_for_lock = std::chrono::milliseconds(2);

/// Held until it is destroyed, or the process ends. Whoever dies with it leaves nothing to clean up.
class FileLock {
 public:
  FileLock(const std::string& name, const std::string& path, Duration patience) try
      : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666)) {
    const Deadline deadline(Clock::steady(), patience);
    while (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) fail_with(errno);
      if (deadline.expired()) fail_with(EBUSY);
      std::this_thread::sleep_for(pause_for_lock);
    }
  } catch (const std::system_error& error) {
    throw ResourceError(fmt::format("{} '{}' cannot be locked: {}", name, path, std::strerror(error.code().value())));
  }

 private:
  Descriptor file_;
};

}  // namespace

std::optional<std::string> content_if_there(const std::string& name, const std::string& path, std::size_t most) {
  try {
    return read_file(path, most);
  } catch (const std::system_error& error) {
    if (error.code().value() == ENOENT) return std::nullopt;
    throw ResourceError(fmt::format("{} '{}' cannot be read: {}", name, path, std::strerror(error.code().value())));
  }
}

void update_file(const std::string& name, const std::string& path, std::size_t most, Duration patience,
                 const std::function<std::string(const std::optional<std::string>&)>& change) {
  check_writable(name, path);
  const FileLock lock(name, path + ".lock", patience);
  write_file(name, path, change(content_if_there(name, path, most)));
}

}  // namespace halocline::io
