// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <sstream>
#include <string_view>

namespace cli::doctor {
namespace {

using halocline::Clock;
using halocline::Duration;

constexpr std::array<std::string_view, 9> of_launchers{
    "OMPI_COMM_", "OMPI_UNIVERSE", "OMPI_APP_", "OMPI_MCA_orte", "OMPI_MCA_ess", "PMI", "MPI_LOCAL", "SLURM_", "HYDI_"};

std::vector<std::string> environment_of_child() {
  std::vector<std::string> entries{"HALOCLINE_BACKEND=host"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto begins = [text](std::string_view prefix) { return text.starts_with(prefix); };
    if (std::ranges::any_of(of_launchers, begins) || text.starts_with("HALOCLINE_")) continue;
    entries.emplace_back(text);
  }
  return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Reads until the end of the output, or the deadline; returns whether it ended.
bool read_all_output(int from, std::string& output, Duration timeout) {
  const Duration deadline = Clock::steady().now() + timeout;
  std::array<char, 4096> part{};
  while (true) {
    const Duration left = deadline - Clock::steady().now();
    if (left <= Duration::zero()) return false;
    pollfd readable{from, POLLIN, 0};
    if (::poll(&readable, 1, 100) < 0 && errno != EINTR) return true;
    if ((readable.revents & (POLLIN | POLLHUP)) == 0) continue;
    const ssize_t bytes = ::read(from, part.data(), part.size());
    if (bytes == 0 || (bytes < 0 && errno != EINTR)) return true;
    if (bytes > 0) output.append(part.data(), static_cast<std::size_t>(bytes));
  }
}

std::vector<std::string> lines_with_letters(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (std::ranges::any_of(line, [](unsigned char c) { return std::isalnum(c) != 0; })) lines.push_back(line);
  }
  return lines;
}

}  // namespace

std::string ChildResult::first_line() const {
  const auto lines = lines_with_letters(output);
  return lines.empty() ? "it printed nothing" : lines.front();
}

std::string ChildResult::last_line() const {
  const auto lines = lines_with_letters(output);
  return lines.empty() ? "it printed nothing" : lines.back();
}

ChildResult run_child(const std::vector<std::string>& words, Duration timeout) {
  std::vector<std::string> arguments = words;
  std::vector<std::string> entries = environment_of_child();
  const std::vector<char*> argument_pointers = pointers_to(arguments);
  const std::vector<char*> entry_pointers = pointers_to(entries);
  ChildResult result;
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return result;
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, 0);
    ::dup2(pipe[1], 1);
    ::dup2(pipe[1], 2);
    ::execvpe(argument_pointers[0], argument_pointers.data(), entry_pointers.data());
    ::_exit(127);
  }
  ::close(pipe[1]);
  if (child > 0) {
    result.in_time = read_all_output(pipe[0], result.output, timeout);
    if (!result.in_time) ::kill(-child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    result.started = result.code != 127;
  }
  ::close(pipe[0]);
  return result;
}

}  // namespace cli::doctor
