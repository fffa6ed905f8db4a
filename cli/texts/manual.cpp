// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "core/environment_variables.hpp"
#include "texts/command_text.hpp"

namespace cli::texts {
namespace {

/// Text in roff, with ASCII hyphens, so that options can be copied.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  // A control line begins with '.' or '\''.
  return !escaped.empty() && (escaped.front() == '.' || escaped.front() == '\'') ? "\\&" + escaped : escaped;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// The names in bold and the placeholder: \fB\-\-size\fR X Y Z
std::string option_entry(const OptionText& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + roff(name) + "\\fR");
  std::string text = fmt::format(".TP\n{}", fmt::join(names, ", "));
  if (!option.placeholder.empty()) text += " \\fI" + roff(option.placeholder) + "\\fR";
  return text + "\n" + roff(option.meaning) + "\n";
}

std::string options_section(const CommandText& command) {
  std::vector<std::string> groups;
  for (const OptionText& option : command.options) {
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  std::string text;
  for (const std::string& group : groups) {
    text += fmt::format(".SH {}\n", group == "Options" ? "OPTIONS" : roff(upper(group)) + " OPTIONS");
    for (const OptionText& option : command.options) {
      if (option.group == group) text += option_entry(option);
    }
  }
  return text;
}

std::string commands_section(const CommandText& command) {
  if (command.commands.empty()) return {};
  std::string text = ".SH COMMANDS\n";
  for (const CommandText& one : command.commands) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(one.words.back()), roff(one.summary));
  }
  return text;
}

/// Examples as they are, and paragraphs below them.
std::string footer_section(const std::string& footer) {
  std::string text;
  bool examples = false;
  std::istringstream in(footer);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("Example")) {
      text += ".SH EXAMPLES\n.nf\n";
      examples = true;
    } else if (examples && line.empty()) {
      text += ".fi\n.SH NOTES\n";
      examples = false;
    } else if (!line.empty()) {
      text += roff(examples ? line.substr(line.find_first_not_of(' ')) : line) + (examples ? "\n" : "\n.br\n");
    }
  }
  return text + (examples ? ".fi\n" : "");
}

std::string environment_section() {
  std::string text = ".SH ENVIRONMENT\n";
  for (const auto& entry : halocline::environment_variables()) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}; allowed: {}; default: {}\n", roff(std::string(entry.name)),
                        roff(std::string(entry.meaning)), roff(std::string(entry.allowed)),
                        roff(std::string(entry.fallback)));
  }
  return text;
}

std::string page_name(const CommandText& command) { return full_name(command, "-"); }

std::string see_also(const CommandText& command) {
  std::vector<std::string> pages;
  if (!command.words.empty()) pages.emplace_back("\\fBhalocline\\fR(1)");
  for (const CommandText& one : command.commands) pages.push_back("\\fB" + roff(page_name(one)) + "\\fR(1)");
  return pages.empty() ? std::string() : fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ",\n"));
}

}  // namespace

std::string manual_page(const CommandText& command) {
  const std::string summary = command.summary.substr(0, command.summary.find('\n'));
  std::string text = fmt::format(".\\\" Made by 'halocline manual'.\n.TH {} 1 \"\" \"halocline {}\" \"Halocline\"\n",
                                 upper(roff(page_name(command))), HALOCLINE_VERSION);
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(page_name(command)), roff(summary));
  text += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR [\\fIOPTIONS\\fR]", roff(full_name(command)));
  if (!command.commands.empty()) text += " \\fICOMMAND\\fR";
  for (const std::string& positional : command.positionals) text += " [\\fI" + roff(positional) + "\\fR ...]";
  text += "\n.SH DESCRIPTION\n";
  std::istringstream lines(command.summary);
  for (std::string line; std::getline(lines, line);) text += roff(line) + "\n.br\n";
  text += commands_section(command) + options_section(command) + footer_section(command.footer);
  if (command.words.empty()) text += environment_section();
  return text + see_also(command);
}

}  // namespace cli::texts
