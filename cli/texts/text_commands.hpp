// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cli::texts {

/// The commands that print texts about the command line itself: help, completion, manual. They need neither ranks nor devices.
/// Outlives the parsing of the program that it is added to.
class TextCommands {
 public:
  explicit TextCommands(CLI::App& program);
  TextCommands(const TextCommands&) = delete;
  TextCommands& operator=(const TextCommands&) = delete;
  /// After the parsing, what the command prints; nothing if it is another one. Throws InvalidArgument.
  [[nodiscard]] std::optional<std::string> text() const;

 private:
  CLI::App* program_;
  CLI::App* help_;
  CLI::App* completion_;
  CLI::App* manual_;
  std::vector<std::string> words_;  ///< names of a command
  std::string shell_;
  bool list_ = false;
};

}  // namespace cli::texts
