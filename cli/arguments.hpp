// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "commands/commands.hpp"

namespace cli {

/// The result of parsing a command line: a command, or a text to print (help, version).
struct Arguments {
  Command command;
  Options options;
  std::string text;
};

/// Throws InvalidArgument, one line that names the argument, its value and what is allowed.
/// ranks: of this program; --devices is shared by them.
[[nodiscard]] Arguments parse_arguments(int argc, const char* const* argv, const halocline::Environment& environment,
                                        int ranks);

}  // namespace cli
