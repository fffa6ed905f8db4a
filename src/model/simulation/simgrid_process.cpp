#include <fmt/core.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "halocline/core/environment.hpp"
#include "halocline/core/error.hpp"
#include "halocline/core/program_folder.hpp"
#include "model/simulation/wire.hpp"

namespace halocline::model::simulation {
namespace {

namespace fs = std::filesystem;

/// One end of a connection.
class Socket {
 public:
  explicit Socket(int file) : file_(file) {}
  Socket(const Socket&) = delete;  // one file one owner
  Socket& operator=(const Socket&) = delete;
  ~Socket() { close(); }

  void close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }
  [[nodiscard]] int file() const { return file_; }

  /// False where nobody reads.
  bool send(const char* data, std::size_t bytes) {
    while (bytes > 0) {
      const ssize_t sent = ::send(file_, data, bytes, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      data += sent;
      bytes -= static_cast<std::size_t>(sent);
    }
    return ::shutdown(file_, SHUT_WR) == 0;
  }
  /// False where the other end was closed before.
  bool receive(char* data, std::size_t bytes) {
    while (bytes > 0) {
      const ssize_t got = ::recv(file_, data, bytes, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      data += got;
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }

 private:
  int file_;
};

/// A program that runs, with a socket for its standard input and output. The destructor waits until it has ended, so that the
/// other end of the socket has to be closed by then.
class Process {
 public:
  Process(const std::string& program, Socket& its_end) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, its_end.file(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, its_end.file(), STDOUT_FILENO);
    std::string name = program;
    std::array<char*, 2> arguments{name.data(), nullptr};
    const int error = posix_spawn(&id_, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw ResourceError(fmt::format("{} cannot be started: {}", program, std::strerror(error)));
    its_end.close();
  }
  Process(const Process&) = delete;  // one process one owner
  Process& operator=(const Process&) = delete;
  ~Process() { (void)ended_well(); }

  bool ended_well() {
    if (id_ < 0) return false;
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t id_ = -1;
};

std::pair<int, int> connected() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw ResourceError(fmt::format("no connection to a simulation: {}", std::strerror(errno)));
  }
  return {ends[0], ends[1]};
}

/// Where the program may lie: where the environment says, or seen from this program, or installed.
std::vector<fs::path> candidates() {
  if (const auto said = Environment::read().simgrid_program) return {fs::path(*said)};
  return {program_folder() / HALOCLINE_SIMGRID_PROGRAM_FROM_BIN, HALOCLINE_SIMGRID_PROGRAM_INSTALLED};
}

/// SimGrid knows weights of a flow's first link and of its last one alone.
void check_weights(std::span<const double> bandwidths, std::span<const LinkFlow> flows) {
  const std::vector<char> weighted = weighted_links(bandwidths.size(), flows);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const auto found =
        std::ranges::count_if(flows[f].links, [&](int link) { return weighted[static_cast<std::size_t>(link)] != 0; });
    if (found <= 2) continue;
    throw CapabilityError(fmt::format(
        "flow {} has {} resources that flows take by weight, and SimGrid knows two a flow; take the solver 'max_min'",
        f, found));
  }
}

}  // namespace

std::string simgrid_program() {
  for (const fs::path& program : candidates()) {
    if (::access(program.c_str(), X_OK) == 0) return program.lexically_normal().string();
  }
  return "";
}

std::vector<double> ends_by_simgrid(std::span<const double> bandwidths, std::span<const LinkFlow> flows) {
  if (flows.empty()) return {};
  check_weights(bandwidths, flows);
  const std::string program = simgrid_program();
  if (program.empty()) {
    throw CapabilityError(fmt::format(
        "the program {} of the solver 'simgrid' is not there: install libsimgrid-dev and configure Halocline with "
        "HALOCLINE_SIMGRID=ON, say by HALOCLINE_SIMGRID_PROGRAM where it is, or take the solver 'max_min'",
        candidates().front().lexically_normal().string()));
  }
  const std::vector<std::int64_t> words = wire::encode(bandwidths, flows);
  std::vector<double> ends(flows.size());
  const auto [ours, its] = connected();
  Socket socket(ours);
  Socket other(its);
  Process process(program, other);
  const bool answered = socket.send(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::int64_t)) &&
                        socket.receive(reinterpret_cast<char*>(ends.data()), ends.size() * sizeof(double));
  socket.close();
  if (!process.ended_well() || !answered) throw InternalError(fmt::format("{} ended without a result", program));
  return ends;
}

}  // namespace halocline::model::simulation
