// SPDX-License-Identifier: BSD-3-Clause
// Command lines: words separated by single spaces. tests/cli/command_lines.py runs the program with generated ones; this target parses changed
// examples of the help in one process.
#include "arguments.hpp"

#include <algorithm>
#include <sstream>

#include "core/printable.hpp"
#include "halocline/environment.hpp"
#include "target.hpp"

namespace halocline::fuzz {
namespace {

constexpr std::size_t most_words = 64;

cli::Arguments parse(const std::vector<std::string>& words) {
  std::vector<const char*> argv{"halocline"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return cli::parse_arguments(static_cast<int>(argv.size()), argv.data(), Environment{}, 1);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty() && words.size() < most_words) {
    const auto space = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return words;
}

void check(std::string_view text) {
  try {
    const cli::Arguments arguments = parse(words_of(text));
    require(arguments.command || !arguments.text.empty(), "a command line has a command or a text");
  } catch (const InvalidArgument& error) {
    const std::string line = "halocline: error: " + printable(error.what());  // as the program prints it
    const auto characters =
        std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; });
    require(characters <= 400, "an error has at most 400 characters");
    throw;
  }
}

/// The lines of a help text that are command lines.
void add_examples(const std::string& help, std::vector<std::string>& lines) {
  constexpr std::string_view program = "  halocline ";
  std::istringstream in(help);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(program)) lines.push_back(line.substr(program.size()));
  }
}

}  // namespace

std::vector<std::string> own_seeds() {
  std::vector<std::string> lines;
  for (const char* command : {"machine", "partition", "place", "route", "exchange", "explain", "bench", "profile",
                              "simulate", "predict", "map", "plot", "doctor", "attach", "postmortem"}) {
    add_examples(parse({command, "--help"}).text, lines);
  }
  for (const char* app : {"jacobi3d", "laplace3d", "mhd"}) add_examples(parse({"run", app, "--help"}).text, lines);
  return lines;
}

}  // namespace halocline::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return halocline::fuzz::run_target(data, size, [](std::string_view text) { halocline::fuzz::check(text); });
}
