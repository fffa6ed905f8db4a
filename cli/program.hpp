#pragma once

#include <exception>

namespace cli {

/// The exit codes: 0 done; 1 it failed, or a check did; 2 the arguments are wrong.
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;

/// One line on standard error, "halocline: error: ...". Returns the exit code that belongs to the error.
int report(const std::exception& error);

/// Parses, runs the command on all ranks, and turns errors into one line and an exit code. Throws only where
/// there are no ranks yet: a launcher that does not match.
int run_program(int argc, char** argv);

}  // namespace cli
