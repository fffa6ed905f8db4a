// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace cli {

/// Takes the place of this process. Throws ResourceError where the program cannot be run; does not return otherwise.
[[noreturn]] void become_program(const std::vector<std::string>& words);

/// Runs a program as a child and waits until it has ended. Signals that are sent to this process reach the child, and the
/// child does not outlive this process. Returns its exit code; where a signal ended it, this process ends by the same one.
/// Throws ResourceError where the program cannot be run.
[[nodiscard]] int run_watched(const std::vector<std::string>& words);

}  // namespace cli
