// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "texts/command_text.hpp"

namespace cli::texts {
namespace {

/// Finds the command that the words before the cursor lead to, and the option whose value is completed, if any.
constexpr const char* bash_head = R"(# bash completion for halocline; made by 'halocline completion bash'.
_halocline() {
  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' helped='' options='' commands='' values='' takes='' files='' i
  # bash splits words at '='.
  if [[ $cur == = ]]; then
    cur=''
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      compopt -o default
      COMPREPLY=()
      return
    fi
    case "$command ${COMP_WORDS[i]}" in
)";

constexpr const char* bash_tail = R"(  esac
  COMPREPLY=()
  if [[ $takes == files ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur"; compgen -f -- "$cur")
  elif [[ $takes == words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
  elif [[ $takes == other ]]; then
    return
  elif [[ $cur == -* && -z $helped ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ $files ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
  fi
}
complete -F _halocline halocline
)";

std::string path_of(const CommandText& command) { return fmt::format("{}", fmt::join(command.words, " ")); }

std::string bash_case(const CommandText& command, const OptionText& option) {
  std::vector<std::string> patterns;
  for (const std::string& name : option.names) patterns.push_back(quoted(path_of(command) + " " + name));
  const char* takes = option.file ? "files" : option.values.empty() ? "other" : "words";
  return fmt::format("    {}) takes={} values={} ;;\n", fmt::join(patterns, " | "), takes,
                     quoted(fmt::format("{}", fmt::join(option.values, " "))));
}

}  // namespace

std::string bash_completion(const CommandText& program) {
  std::string text = bash_head;
  for (const CommandText* command : all_commands(program)) {
    if (command->words.empty()) continue;
    // 'help run jacobi3d' is completed as 'run jacobi3d'.
    const auto parent = std::vector<std::string>(command->words.begin(), command->words.end() - 1);
    const std::string pattern = quoted(fmt::format("{} {}", fmt::join(parent, " "), command->words.back()));
    text += takes_commands(*command) ? fmt::format("      {}) helped={} ;;\n", pattern, command->words.back())
                                     : fmt::format("      {}) command={} ;;\n", pattern, quoted(path_of(*command)));
  }
  text += "    esac\n  done\n  case \"$command\" in\n";
  for (const CommandText* command : all_commands(program)) {
    std::vector<std::string> options;
    for (const OptionText& option : command->options)
      options.insert(options.end(), option.names.begin(), option.names.end());
    auto words = names_of_commands(*command);
    words.insert(words.end(), command->words_allowed.begin(), command->words_allowed.end());
    text += fmt::format("    {}) options={} commands={} files={} ;;\n", quoted(path_of(*command)),
                        quoted(fmt::format("{}", fmt::join(options, " "))),
                        quoted(fmt::format("{}", fmt::join(words, " "))), command->files ? "1" : "''");
  }
  text += "  esac\n  case \"$command $previous\" in\n";
  for (const CommandText* command : all_commands(program)) {
    for (const OptionText& option : command->options) {
      if (!option.placeholder.empty()) text += bash_case(*command, option);
    }
  }
  return text + bash_tail;
}

}  // namespace cli::texts
