// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

namespace cli {

/// The command that was reached, e.g. `halocline run jacobi3d`, with its name in full.
struct Reached {
  CLI::App* app;
  std::string name;
};
[[nodiscard]] Reached reached_in(CLI::App& app);

/// Why a command line was refused with CLI::ArgumentMismatch: an option with too few values, or with too many.
/// last_word: of the command line.
[[nodiscard]] std::string wrong_number_of_values(CLI::App& app, std::string_view last_word);

/// Why it was refused otherwise: an unknown word, or a command that is missing. Suggests the nearest name.
[[nodiscard]] std::string unknown_word(CLI::App& app, const CLI::ParseError& error);

/// "unknown command 'exchagne'; did you mean 'exchange'? (see 'halocline --help')", with all commands where none is near.
[[nodiscard]] std::string unknown_command(const CLI::App& parent, const std::string& name_of_parent,
                                          const std::string& word);

}  // namespace cli
