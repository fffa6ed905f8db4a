// SPDX-License-Identifier: BSD-3-Clause
#include "refusals.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <vector>

#include "nearest.hpp"
#include "parse.hpp"

namespace cli {
namespace {

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string without_value(std::string_view word) { return std::string(word.substr(0, word.find('='))); }

std::string unknown_option(const Reached& reached, std::string_view word) {
  const std::string option = without_value(word);
  const auto nearest = nearest_name(option, names_of_options(*reached.app));
  return nearest
             ? fmt::format("unknown option '{}'; did you mean '{}'? (see '{} --help')", shown(option), *nearest,
                           reached.name)
             : fmt::format("unknown option '{}' of '{}'; see '{} --help'", shown(option), reached.name, reached.name);
}

}  // namespace

Reached reached_in(CLI::App& app) {
  Reached reached{&app, app.get_name()};
  while (!reached.app->get_subcommands().empty()) {
    reached.app = reached.app->get_subcommands().front();
    reached.name += " " + reached.app->get_name();
  }
  return reached;
}

std::string wrong_number_of_values(CLI::App& app, std::string_view last_word) {
  const Reached reached = reached_in(app);
  const auto allowed = [](const CLI::Option& option) {
    return fmt::format("allowed is '{} {}', once: {}", option.get_name(), option.get_type_name(),
                       option.get_description());
  };
  for (const CLI::Option* option : reached.app->get_options()) {
    const auto values = static_cast<int>(option->count());
    const int most = option->get_items_expected_max();  // 0: a flag, which may be there several times
    if (most > 0 && values > most) {
      return fmt::format("{} is given with {} values; {}", option->get_name(), values, allowed(*option));
    }
  }
  // An option takes the words after it as values, whatever they are, so that they run out only at the end.
  const auto* option = reached.app->get_option_no_throw(without_value(last_word));
  if (option == nullptr) return fmt::format("a value is missing at the end; see '{} --help'", reached.name);
  return fmt::format("{} is given without a value; {}", option->get_name(), allowed(*option));
}

std::string unknown_command(const CLI::App& parent, const std::string& name_of_parent, const std::string& word) {
  const auto names = names_of_commands(parent);
  if (const auto nearest = nearest_name(word, names)) {
    return fmt::format("unknown command '{}'; did you mean '{}'? (see '{} --help')", shown(word), *nearest,
                       name_of_parent);
  }
  return fmt::format("unknown command '{}' of '{}'; allowed is {}", shown(word), name_of_parent,
                     fmt::join(names, ", "));
}

std::string unknown_word(CLI::App& app, const CLI::ParseError& error) {
  const Reached reached = reached_in(app);
  const auto left = app.remaining(true);
  const auto commands = names_of_commands(*reached.app);
  if (!left.empty() && left[0].starts_with('-')) return unknown_option(reached, left[0]);
  if (!commands.empty()) {
    return left.empty() ? fmt::format("'{}' requires a command; allowed is {}", reached.name, fmt::join(commands, ", "))
                        : unknown_command(*reached.app, reached.name, left[0]);
  }
  if (!left.empty()) {
    return fmt::format("'{}' is one word too many for '{}'; see '{} --help'", shown(left[0]), reached.name,
                       reached.name);
  }
  return fmt::format("the command line is not understood: {}; see '{} --help'", error.what(), reached.name);
}

}  // namespace cli
