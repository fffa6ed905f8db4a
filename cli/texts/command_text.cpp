// SPDX-License-Identifier: BSD-3-Clause
#include "texts/command_text.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "machine_maps.hpp"
#include "option_kinds.hpp"

namespace cli::texts {
namespace {

constexpr std::array<std::string_view, 8> placeholders_of_files{"FILE", "[FILE]", "DIR", "MAP",
                                                                "PATH", "FOLDER", "CSV", "SVG"};

bool is_file(const std::string& placeholder) {
  return std::ranges::find(placeholders_of_files, placeholder) != placeholders_of_files.end();
}

OptionText text_of(CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) text.placeholder = option.get_type_name();
  text.meaning = option.get_description();
  text.group = option.get_group();
  text.values = values_of(option);
  text.file = text.values.empty() && is_file(text.placeholder);
  if (text.placeholder == "MAP") text.values = machine_names();
  return text;
}

CommandText text_of(CLI::App& app, const std::vector<std::string>& words) {
  CommandText text;
  text.words = words;
  text.summary = app.get_description();
  text.footer = app.get_footer();
  for (CLI::Option* option : app.get_options([](const CLI::Option*) { return true; })) {
    if (option->get_group().empty()) continue;
    if (option->nonpositional()) {
      text.options.push_back(text_of(*option));
    } else {
      text.positionals.push_back(option->get_name(true));
      text.words_allowed = values_of(*option);
      text.files = is_file(option->get_name(true));
    }
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    auto longer = words;
    longer.push_back(command->get_name());
    text.commands.push_back(text_of(*command, longer));
  }
  return text;
}

void append_all(const CommandText& command, std::vector<const CommandText*>& all) {
  all.push_back(&command);
  for (const CommandText& one : command.commands) append_all(one, all);
}

}  // namespace

CommandText command_text(CLI::App& program) { return text_of(program, {}); }

std::vector<const CommandText*> all_commands(const CommandText& program) {
  std::vector<const CommandText*> all;
  append_all(program, all);
  return all;
}

std::string full_name(const CommandText& command, const std::string& separator) {
  std::string name = "halocline";
  for (const std::string& word : command.words) name += separator + word;
  return name;
}

std::vector<std::string> names_of_commands(const CommandText& command) {
  std::vector<std::string> names;
  for (const CommandText& one : command.commands) names.push_back(one.words.back());
  return names;
}

bool takes_commands(const CommandText& command) { return command.positionals == std::vector<std::string>{"COMMAND"}; }

std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace cli::texts
