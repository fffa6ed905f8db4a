// SPDX-License-Identifier: BSD-3-Clause
// Runs a fuzz target without libFuzzer: inputs are made from a corpus, each by its seed.
//
//   fuzz_network --runs 10000 --first 0 CORPUS...   seeds 0 to 9999
//   fuzz_network --seed 4711 CORPUS...              one seed again
//   fuzz_network --input FILE                       a file as it is
//
// CORPUS: files, or folders of files; the target's own seeds count, too. A seed that fails is printed, and its input written to --write (default: the
// working folder). Ends with 1 if one fails, or if none of many inputs is valid, or none refused.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "driver/child.hpp"
#include "driver/mutator.hpp"
#include "target.hpp"

namespace halocline::fuzz {
namespace {

namespace fs = std::filesystem;

/// After so many, the rest need not be known.
constexpr int most_failures = 20;
/// Of so many inputs some are valid, and some are not.
constexpr std::uint64_t many = 1000;

struct Options {
  std::uint64_t first = 0;
  std::uint64_t runs = 1000;
  std::optional<std::string> input;
  std::string write = ".";
  std::vector<std::string> corpus;
};

std::uint64_t number(const std::string& name, const std::string& word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size())
    throw std::invalid_argument(fmt::format("{} is '{}'; allowed is a whole number, 0 or more", name, word));
  return value;
}

Options options_of(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with("--")) {
      options.corpus.push_back(word);
      continue;
    }
    if (i + 1 == words.size()) throw std::invalid_argument(word + " has no value, or is unknown");
    const std::string& value = words[++i];
    if (word == "--seed") {
      options.first = number(word, value);
      options.runs = 1;
    } else if (word == "--first") {
      options.first = number(word, value);
    } else if (word == "--runs") {
      options.runs = number(word, value);
    } else if (word == "--input") {
      options.input = value;
    } else if (word == "--write") {
      options.write = value;
    } else {
      throw std::invalid_argument(
          fmt::format("{} is unknown; allowed are --seed, --first, --runs, --input, --write", word));
    }
  }
  return options;
}

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument(fmt::format("'{}' cannot be read", path.string()));
  return {std::istreambuf_iterator<char>(file), {}};
}

/// In an order that does not depend on the file system.
std::vector<std::string> corpus_of(const std::vector<std::string>& paths) {
  std::vector<std::string> corpus = own_seeds();
  for (const fs::path path : paths) {
    std::vector<fs::path> files;
    if (fs::is_directory(path)) {
      for (const auto& entry : fs::directory_iterator(path)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
      }
    } else {
      files.push_back(path);
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) corpus.push_back(text_of_file(file));
  }
  return corpus;
}

int run_file(const Options& options) {
  Tally tally;
  const std::string failure = run_input(text_of_file(*options.input), Limits{}, tally);
  fmt::print("{}: {}\n", *options.input, !failure.empty() ? failure : (tally.valid > 0 ? "valid" : "refused"));
  return failure.empty() ? 0 : 1;
}

/// Prints a seed that failed, and writes its input.
void report(const std::string& program, std::uint64_t seed, const std::string& failure, const std::string& input,
            const std::string& folder) {
  const std::string path = fmt::format("{}/{}-{}.input", folder, program, seed);
  std::ofstream(path, std::ios::binary) << input;
  fmt::print("FAILED: {} --seed {}: {}; its input is {}\n", program, seed, failure, path);
}

int run(const std::string& program, const Options& options) {
  if (options.input) return run_file(options);
  const std::vector<std::string> corpus = corpus_of(options.corpus);
  const Mutator mutator(corpus);
  const std::uint64_t end = options.first + options.runs;
  Tally tally;
  int failures = 0;
  for (std::uint64_t seed = options.first; seed < end && failures < most_failures;) {
    const Outcome outcome = run_seeds(mutator, seed, end, Limits{}, tally);
    seed = outcome.next;
    if (outcome.failure.empty()) continue;
    ++failures;
    if (outcome.after_all) {
      fmt::print("FAILED: {} --first {} --runs {}: {}\n", program, options.first, options.runs, outcome.failure);
    } else {
      report(program, seed - 1, outcome.failure, mutator.input(seed - 1), options.write);
    }
  }
  fmt::print("{}: seeds {} to {}, corpus of {}: {} valid, {} refused, {} failed, longest {:.3f} s (seed {})\n", program,
             options.first, end - 1, corpus.size(), tally.valid, tally.refused, failures, tally.longest, tally.slowest);
  // A target that answers everything alike looks at nothing.
  if (failures == 0 && options.runs >= many && (tally.valid == 0 || tally.refused == 0)) {
    fmt::print("FAILED: of {} inputs none is {}\n", options.runs, tally.valid == 0 ? "valid" : "refused");
    ++failures;
  }
  fmt::print("cases passed: {}\n", tally.valid + tally.refused);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace halocline::fuzz

int main(int argc, char** argv) {
  using namespace halocline::fuzz;
  try {
    return run(fs::path(argv[0]).filename().string(), options_of({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
