// SPDX-License-Identifier: BSD-3-Clause
#include "watched_program.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "halocline/error.hpp"

namespace cli {
namespace {

using halocline::ResourceError;

constexpr std::array forwarded{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

/// Read by the signal handler.
volatile sig_atomic_t child_id = 0;

void forward(int signal, siginfo_t* info, void* /*context*/) {
  // What a terminal sends goes to the child, too.
  if (child_id > 0 && info->si_code <= 0) ::kill(static_cast<pid_t>(child_id), signal);
}

void forward_signals_to(pid_t child) {
  child_id = child;
  struct sigaction action {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int signal : forwarded) ::sigaction(signal, &action, nullptr);
}

/// Returns only with an error, in errno.
void execute(const std::vector<std::string>& words) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
}

[[noreturn]] void fail(const std::vector<std::string>& words, int error) {
  throw ResourceError(fmt::format("'{}' cannot be run: {}", words.front(), std::strerror(error)));
}

[[noreturn]] void run_in_child(const std::vector<std::string>& words, pid_t parent, int errors) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  execute(words);
  const int error = errno;
  [[maybe_unused]] const auto told = ::write(errors, &error, sizeof error);
  ::_exit(1);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  child_id = 0;
  return status;
}

[[noreturn]] void end_by(int signal) {
  // The child has left its memory already.
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace

void become_program(const std::vector<std::string>& words) {
  execute(words);
  fail(words, errno);
}

int run_watched(const std::vector<std::string>& words) {
  // Closed by a successful exec; else it brings the reason why there was none.
  std::array<int, 2> errors{};
  if (::pipe2(errors.data(), O_CLOEXEC) != 0) fail(words, errno);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) run_in_child(words, parent, errors[1]);
  const int fork_error = errno;
  ::close(errors[1]);
  int error = 0;
  if (child > 0) {
    forward_signals_to(child);
    while (::read(errors[0], &error, sizeof error) < 0 && errno == EINTR) {
    }
  }
  ::close(errors[0]);
  if (child < 0) fail(words, fork_error);
  const int status = wait_for(child);
  if (error != 0) fail(words, error);
  if (WIFSIGNALED(status)) end_by(WTERMSIG(status));
  return WEXITSTATUS(status);
}

}  // namespace cli
