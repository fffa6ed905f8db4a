// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "texts/command_text.hpp"

namespace cli::texts {
namespace {

constexpr const char* fish_head = R"(# fish completion for halocline; made by 'halocline completion fish'.
# Whether the words before the cursor lead to a command.
function __halocline_at
    set -l command ''
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        switch "$command $word"
)";

/// fish knows \\ and \' in single quotes.
std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string fish_path(const CommandText& command) { return fmt::format("{}", fmt::join(command.words, " ")); }

std::string fish_option(const CommandText& command, const OptionText& option) {
  std::string line = fmt::format("complete -c halocline -n {}", fish_quoted("__halocline_at " + fish_path(command)));
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.placeholder.empty()) line += option.file ? " -r -F" : " -x";
  if (!option.values.empty())
    line += fmt::format(" -a {}", fish_quoted(fmt::format("{}", fmt::join(option.values, " "))));
  return line + fmt::format(" -d {}\n", fish_quoted(option.meaning.substr(0, option.meaning.find('\n'))));
}

std::string fish_word(const CommandText& command, const std::string& word, const std::string& meaning) {
  return fmt::format("complete -c halocline -n {} -a {}{}\n", fish_quoted("__halocline_at " + fish_path(command)),
                     fish_quoted(word), meaning.empty() ? "" : " -d " + fish_quoted(meaning));
}

}  // namespace

std::string fish_completion(const CommandText& program) {
  std::string text = fish_head;
  for (const CommandText* command : all_commands(program)) {
    // 'help run jacobi3d' is completed as 'run jacobi3d'.
    if (command->words.empty() || takes_commands(*command)) continue;
    const auto parent = std::vector<std::string>(command->words.begin(), command->words.end() - 1);
    text += fmt::format("            case {}\n                set command {}\n",
                        fish_quoted(fmt::format("{} {}", fmt::join(parent, " "), command->words.back())),
                        fish_quoted(fish_path(*command)));
  }
  text += "        end\n    end\n    test \"$command\" = \"$argv\"\nend\ncomplete -c halocline -f\n";
  for (const CommandText* command : all_commands(program)) {
    for (const CommandText& one : command->commands) text += fish_word(*command, one.words.back(), one.summary);
    for (const std::string& word : command->words_allowed) text += fish_word(*command, word, "");
    if (command->files) text += fmt::format("complete -c halocline -n '__halocline_at {}' -F\n", fish_path(*command));
    for (const OptionText& option : command->options) text += fish_option(*command, option);
  }
  return text;
}

}  // namespace cli::texts
