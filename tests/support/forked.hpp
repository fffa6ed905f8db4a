// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <array>
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

}  // namespace halocline::test
