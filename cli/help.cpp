// SPDX-License-Identifier: BSD-3-Clause
#include "help.hpp"

#include "fold.hpp"
#include "halocline/error.hpp"
#include "refusals.hpp"

namespace cli {

void add_examples(CLI::App& command, const std::vector<std::string>& lines) {
  std::string text = lines.size() == 1 ? "Example:" : "Examples:";
  for (const std::string& line : lines) text += "\n  " + line;
  command.footer(text);
}

std::string help_text(const CLI::App& command, const std::string& name) {
  std::string text = folded(command.get_formatter()->make_help(&command, name, CLI::AppFormatMode::Normal));
  // Two empty lines between groups.
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

std::string help_of(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::string name = app.get_name();
  for (const std::string& word : words) {
    const auto found = command->get_subcommands([&word](const CLI::App* one) { return one->get_name() == word; });
    if (found.empty()) throw halocline::InvalidArgument(unknown_command(*command, name, word));
    command = found.front();
    name += " " + word;
  }
  return help_text(*command, name);
}

}  // namespace cli
