// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace cli {

/// Command lines that a command's help ends with. They run as they are, one after the other, in any folder: a test does so.
void add_examples(CLI::App& command, const std::vector<std::string>& lines);

/// What --help prints: CLI11's text within terminal_columns. name: in full, as "halocline run jacobi3d".
[[nodiscard]] std::string help_text(const CLI::App& command, const std::string& name);

/// `halocline help run jacobi3d` of {"run", "jacobi3d"}. Throws InvalidArgument where there is no such command.
[[nodiscard]] std::string help_of(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace cli
