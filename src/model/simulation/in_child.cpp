#include "model/simulation/in_child.hpp"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "halocline/core/error.hpp"

namespace halocline::model::simulation {
namespace {

bool write_all(int file, const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t written = ::write(file, data, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

/// Bytes read until they were enough, or the other end was closed.
std::size_t read_all(int file, char* data, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::read(file, data + done, bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

[[noreturn]] void be_child(int file, const std::function<std::vector<double>()>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read the result
  bool sent = false;
  try {
    const std::vector<double> result = work();
    sent = write_all(file, reinterpret_cast<const char*>(result.data()), result.size() * sizeof(double));
  } catch (...) {
  }
  ::_exit(sent ? 0 : 1);
}

}  // namespace

std::vector<double> in_child(std::size_t count, const std::function<std::vector<double>()>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw ResourceError(fmt::format("no pipe for a simulation: {}", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw ResourceError(fmt::format("no process for a simulation: {}", std::strerror(error)));
  }
  if (child == 0) {
    ::close(ends[0]);
    be_child(ends[1], work);
  }
  ::close(ends[1]);
  std::vector<double> result(count);
  const std::size_t got = read_all(ends[0], reinterpret_cast<char*>(result.data()), count * sizeof(double));
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (got != count * sizeof(double) || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw InternalError("a simulation ended without a result");
  }
  return result;
}

}  // namespace halocline::model::simulation
