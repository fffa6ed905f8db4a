// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <utility>

// Processes that tests fork, kill and read from.
namespace halocline::test {

/// A process that runs body and exits with what it returns.
inline pid_t start(const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  int status = 5;
  try {
    status = body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::fflush(nullptr);
  std::_Exit(status);
}

/// Both ends of a pipe, closed at the end.
struct Pipe {
  Pipe() {
    if (pipe(ends.data()) != 0) std::_Exit(2);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends[0]);
    close_writer();
  }
  void close_writer() {
    if (ends[1] >= 0) close(std::exchange(ends[1], -1));
  }
  std::array<int, 2> ends{};
};

/// Arguments: how often a process is killed (or HALOCLINE_KILLS), a seed, and a CSV file for what came out.
inline int run_kills(int argc, char** argv, const char* times, int (*run)(int, std::uint64_t, const char*)) {
  const char* const kills = std::getenv("HALOCLINE_KILLS");
  if (argc > 1) times = argv[1];
  return run(std::atoi(kills != nullptr ? kills : times),
             argc > 2 ? static_cast<std::uint64_t>(std::atoll(argv[2])) : 1, argc > 3 ? argv[3] : "/dev/null");
}

}  // namespace halocline::test
