// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace halocline::test {

/// The result of a second run of this program.
struct SecondRun {
  bool passed = false;
  std::string output;  ///< both streams
};

/// Runs one disabled case of this program again, in a separate process with additional environment ("NAME=value"). Its
/// output is captured, so that its counts of cases do not add to this program's.
inline SecondRun run_again(const std::string& environment, const std::string& disabled_case) {
  const std::string command = environment + " exec /proc/" + std::to_string(::getpid()) +
                              "/exe --gtest_also_run_disabled_tests --gtest_brief=1 --gtest_filter=" + disabled_case +
                              " 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
  SecondRun run;
  std::array<char, 512> part{};
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) run.output += part.data();
  const int status = ::pclose(pipe);
  run.passed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return run;
}

}  // namespace halocline::test
