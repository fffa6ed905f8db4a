// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

/// The command line as data, from the same definitions that it is parsed by, and what is made of it: completion and manual.
namespace cli::texts {

struct OptionText {
  std::vector<std::string> names;  ///< "-h", "--help"
  std::string placeholder;         ///< of its value; empty: it takes none
  std::string meaning;
  std::string group;
  std::vector<std::string> values;  ///< that it may have; empty: others
  bool file = false;                ///< its value is a file or a folder
};

struct CommandText {
  std::vector<std::string> words;  ///< "run", "jacobi3d"; none: the program
  std::string summary;
  std::string footer;  ///< examples, and more
  std::vector<OptionText> options;
  std::vector<std::string> positionals;    ///< placeholders
  std::vector<std::string> words_allowed;  ///< as positionals; empty: others
  bool files = false;                      ///< its positionals are files
  std::vector<CommandText> commands;
};

/// The program with all of its commands, in the order of its help.
[[nodiscard]] CommandText command_text(CLI::App& program);

/// The program and all commands of a tree, each before its own.
[[nodiscard]] std::vector<const CommandText*> all_commands(const CommandText& program);
/// "halocline run jacobi3d"
[[nodiscard]] std::string full_name(const CommandText& command, const std::string& separator = " ");
[[nodiscard]] std::vector<std::string> names_of_commands(const CommandText& command);
/// Whether its words are names of commands: help, manual.
[[nodiscard]] bool takes_commands(const CommandText& command);

/// 'text' for a shell: in single quotes, any of its own as '\''.
[[nodiscard]] std::string quoted(const std::string& text);

[[nodiscard]] std::string bash_completion(const CommandText& program);
[[nodiscard]] std::string zsh_completion(const CommandText& program);
[[nodiscard]] std::string fish_completion(const CommandText& program);
/// A page of section 1 in roff. Has no date, so that it is the same in each build of a version.
[[nodiscard]] std::string manual_page(const CommandText& command);

}  // namespace cli::texts
