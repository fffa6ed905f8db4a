// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "parse.hpp"

/// Options by what they hold. CLI11 collects their words; their values are read by parse.hpp, so that every error has its
/// form, "<name> is '<value>'; allowed is <allowed>", which CLI11's own validators do not have. Targets outlive the
/// parsing.
namespace cli {

/// As most of an option whose numbers have no upper limit.
inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// 1 to `most` words; parse gets the option's name and its words as they were typed.
CLI::Option* add_words(CLI::App& app, const std::string& name, const std::string& placeholder, int most,
                       const std::string& meaning,
                       std::function<void(const std::string& name, const Words& words)> parse);
/// The same for one word.
CLI::Option* add_word(CLI::App& app, const std::string& name, const std::string& placeholder,
                      const std::string& meaning,
                      std::function<void(const std::string& name, const std::string& word)> parse);

/// A word without a value: --json, but not --json=yes.
CLI::Option* add_flag(CLI::App& app, const std::string& name, const std::string& meaning, std::function<void()> set);
CLI::Option* add_flag(CLI::App& app, const std::string& name, const std::string& meaning, bool& target);

/// Any text: a file, a name that is looked up later. The target is a string, or an optional one.
template <typename Target>
CLI::Option* add_text(CLI::App& app, const std::string& name, const std::string& placeholder,
                      const std::string& meaning, Target& target) {
  return add_word(app, name, placeholder, meaning, [&target](const auto&, const auto& word) { target = word; });
}

template <typename Target>
struct ValueOf {
  using type = Target;
};
template <typename Target>
requires requires { typename Target::value_type; }
struct ValueOf<Target> {
  using type = typename Target::value_type;
};

/// A whole number from least to most. The target is an integer, or an optional one.
template <typename Target>
CLI::Option* add_integer(CLI::App& app, const std::string& name, const std::string& placeholder,
                         const std::string& meaning, Target& target, std::int64_t least,
                         std::int64_t most = unlimited) {
  return add_word(app, name, placeholder, meaning, [&target, least, most](const auto& option, const auto& word) {
    target = static_cast<typename ValueOf<Target>::type>(parse_integer(option, word, least, most));
  });
}

/// A number above 0. The target is a double, or an optional one.
template <typename Target>
CLI::Option* add_positive(CLI::App& app, const std::string& name, const std::string& placeholder,
                          const std::string& meaning, Target& target, double most) {
  return add_word(app, name, placeholder, meaning, [&target, most](const auto& option, const auto& word) {
    target = parse_positive(option, word, most);
  });
}

/// Whole numbers from least to most, any number of them; what the target held goes.
template <typename Value>
CLI::Option* add_integers(CLI::App& app, const std::string& name, const std::string& placeholder, int most_words,
                          const std::string& meaning, std::vector<Value>& target, std::int64_t least,
                          std::int64_t most) {
  return add_words(
      app, name, placeholder, most_words, meaning, [&target, least, most](const auto& option, const Words& words) {
        target.clear();
        for (const auto& word : split_at_commas(words)) {
          target.push_back(static_cast<typename ValueOf<Value>::type>(parse_integer(option, word, least, most)));
        }
      });
}

/// The names that an option takes, each with what it stands for.
template <typename Value>
using Choices = std::vector<std::pair<std::string, Value>>;

/// Every element of an enumeration's list, by its name in to_string().
template <typename List>
auto choices_of(const List& list) {
  Choices<typename List::value_type> choices;
  for (const auto value : list) choices.emplace_back(std::string(to_string(value)), value);
  return choices;
}

template <typename Value>
Value parse_choice(const std::string& name, const std::string& word, const Choices<Value>& choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  return choices[parse_choice(name, word, names)].second;
}

/// Notes the values that an option may have, for completion; does not check them.
void keep_values(CLI::Option& option, const std::vector<std::string>& values);
/// Those that were noted; empty if there are none.
[[nodiscard]] std::vector<std::string> values_of(CLI::Option& option);

/// One of several names.
template <typename Target, typename Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, const std::string& placeholder,
                        const std::string& meaning, Target& target, Choices<Value> choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  auto* added = add_word(app, name, placeholder, meaning,
                         [&target, choices = std::move(choices)](const auto& option, const auto& word) {
                           target = parse_choice(option, word, choices);
                         });
  keep_values(*added, names);
  return added;
}

}  // namespace cli
