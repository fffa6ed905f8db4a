// SPDX-License-Identifier: BSD-3-Clause
#include "texts/text_commands.hpp"

#include <algorithm>

#include "halocline/error.hpp"
#include "help.hpp"
#include "option_kinds.hpp"
#include "refusals.hpp"
#include "texts/command_text.hpp"

namespace cli::texts {
namespace {

const std::vector<std::string> shells{"bash", "fish", "zsh"};

std::string completion_for(const std::string& shell, const CommandText& program) {
  switch (parse_choice("SHELL", shell, shells)) {
    case 0: return bash_completion(program);
    case 1: return fish_completion(program);
    default: return zsh_completion(program);
  }
}

const CommandText& found_in(const CommandText& program, const std::vector<std::string>& words) {
  const CommandText* command = &program;
  for (const std::string& word : words) {
    const auto next =
        std::ranges::find_if(command->commands, [&word](const auto& one) { return one.words.back() == word; });
    // help_of() has refused words that lead nowhere.
    if (next == command->commands.end()) throw halocline::InternalError("a command without a text");
    command = &*next;
  }
  return *command;
}

/// The full name of each command, a line each, or the page of one.
std::string manual_of(CLI::App& program, const std::vector<std::string>& words, bool list) {
  const CommandText tree = command_text(program);
  if (!list) {
    static_cast<void>(help_of(program, words));
    return manual_page(found_in(tree, words));
  }
  std::string names;
  for (const CommandText* command : all_commands(tree)) names += full_name(*command) + "\n";
  return names;
}

}  // namespace

TextCommands::TextCommands(CLI::App& program)
    : program_(&program),
      help_(program.add_subcommand("help", "print the help of a command, as its --help does")),
      completion_(program.add_subcommand("completion", "print a script that completes command lines in a shell")),
      manual_(program.add_subcommand("manual", "print the manual page of a command, for 'man -l -'")) {
  help_->add_option("COMMAND", words_, "name of the command: one word or two");
  add_examples(*help_, {"halocline help exchange", "halocline help run jacobi3d"});
  keep_values(*completion_->add_option("SHELL", shell_, "bash, fish or zsh")->type_name(""), shells);
  add_examples(*completion_, {"halocline completion bash > halocline.bash", "halocline completion zsh > _halocline",
                              "halocline completion fish > halocline.fish"});
  manual_->add_option("COMMAND", words_, "name of the command: one word or two");
  add_flag(*manual_, "--list", "print the names of all commands, a line each", list_);
  add_examples(*manual_, {"halocline manual exchange > halocline-exchange.1", "halocline manual --list"});
}

std::optional<std::string> TextCommands::text() const {
  if (help_->parsed()) return help_of(*program_, words_);
  if (completion_->parsed()) return completion_for(shell_, command_text(*program_));
  if (manual_->parsed()) return manual_of(*program_, words_, list_);
  return std::nullopt;
}

}  // namespace cli::texts
