// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "texts/command_text.hpp"

namespace cli::texts {
namespace {

constexpr const char* zsh_head = R"(#compdef halocline
# zsh completion for halocline; made by 'halocline completion zsh'.
_halocline() {
  local command='' helped='' takes='' files='' previous=$words[CURRENT-1] i
  local -a options commands values
  # --option=value is one word.
  if [[ $words[CURRENT] == --*=* ]]; then
    previous=${words[CURRENT]%%=*}
    compset -P '*='
  fi
  for ((i = 2; i < CURRENT; ++i)); do
    if [[ $words[i] == -- ]]; then
      _normal
      return
    fi
    case "$command $words[i]" in
)";

constexpr const char* zsh_tail = R"(  esac
  if [[ $takes == files ]]; then
    compadd -a values
    _files
  elif [[ $takes == words ]]; then
    compadd -a values
  elif [[ $takes == other ]]; then
    return 1
  elif [[ $words[CURRENT] == -* && -z $helped ]]; then
    _describe -o option options
  elif [[ -n $files ]]; then
    _files
  else
    _describe command commands
  fi
}
if [[ $funcstack[1] == _halocline ]]; then
  _halocline "$@"
else
  compdef _halocline halocline
fi
)";

std::string zsh_path(const CommandText& command) { return fmt::format("{}", fmt::join(command.words, " ")); }

/// 'name:what it is', as _describe takes it.
std::string described(const std::string& name, const std::string& meaning) {
  return quoted(name + ":" + meaning.substr(0, meaning.find('\n')));
}

std::string quoted_values(const std::vector<std::string>& values) {
  std::vector<std::string> each;
  for (const std::string& value : values) each.push_back(quoted(value));
  return fmt::format("{}", fmt::join(each, " "));
}

std::string zsh_lists(const CommandText& command) {
  std::string text = fmt::format("    {})\n      options=(\n", quoted(zsh_path(command)));
  for (const OptionText& option : command.options) {
    for (const std::string& name : option.names) text += "        " + described(name, option.meaning) + "\n";
  }
  text += "      )\n      commands=(\n";
  for (const CommandText& one : command.commands) text += "        " + described(one.words.back(), one.summary) + "\n";
  for (const std::string& word : command.words_allowed) text += "        " + quoted(word) + "\n";
  return text + (command.files ? "      )\n      files=1 ;;\n" : "      ) ;;\n");
}

std::string zsh_case(const CommandText& command, const OptionText& option) {
  std::vector<std::string> patterns;
  for (const std::string& name : option.names) patterns.push_back(quoted(zsh_path(command) + " " + name));
  const char* takes = option.file ? "files" : option.values.empty() ? "other" : "words";
  return fmt::format("    {}) takes={} values=({}) ;;\n", fmt::join(patterns, " | "), takes,
                     quoted_values(option.values));
}

}  // namespace

std::string zsh_completion(const CommandText& program) {
  std::string text = zsh_head;
  for (const CommandText* command : all_commands(program)) {
    if (command->words.empty()) continue;
    const auto parent = std::vector<std::string>(command->words.begin(), command->words.end() - 1);
    const std::string pattern = quoted(fmt::format("{} {}", fmt::join(parent, " "), command->words.back()));
    text += takes_commands(*command) ? fmt::format("      {}) helped={} ;;\n", pattern, command->words.back())
                                     : fmt::format("      {}) command={} ;;\n", pattern, quoted(zsh_path(*command)));
  }
  text += "    esac\n  done\n  case \"$command\" in\n";
  for (const CommandText* command : all_commands(program)) text += zsh_lists(*command);
  text += "  esac\n  case \"$command $previous\" in\n";
  for (const CommandText* command : all_commands(program)) {
    for (const OptionText& option : command->options) {
      if (!option.placeholder.empty()) text += zsh_case(*command, option);
    }
  }
  return text + zsh_tail;
}

}  // namespace cli::texts
