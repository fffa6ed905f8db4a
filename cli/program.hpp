// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>

namespace cli {

/// One line on standard error, "halocline: error: ...". Returns the exit code that belongs to the error.
int report(const std::exception_ptr& error);

/// Parses, runs the command on all ranks, and turns errors into one line and an exit code. Throws only where
/// there are no ranks yet: a launcher that does not match.
int run_program(int argc, char** argv);

}  // namespace cli
