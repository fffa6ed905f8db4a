// SPDX-License-Identifier: BSD-3-Clause
// Runs seeds of the simulation.
//
//   simulation --runs 1000 --first 0     seeds 0 to 999
//   simulation --seed 4711               one seed again, twice: both runs are the same
//   simulation --seed 4711 --trace       with what disturbed it and the last events; --trace all: all of them
//   simulation --seed 4711 --shrink      leaves out what its failure does not need, and prints the trace of the rest
//
// A seed that fails is printed. Ends with 1 if one fails.
#include <fmt/core.h>
#include <sys/personality.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "discovery/probe.hpp"
#include "simulation/runs.hpp"

namespace halocline::simulation {
namespace {

/// After so many, the rest need not be known.
constexpr int most_failures = 20;
/// So many seeds run twice: their runs must be the same.
constexpr std::uint64_t one_in_twice = 16;

struct Options {
  std::uint64_t first = 0;
  std::uint64_t runs = 100;
  bool one = false;
  bool shrinks = false;
  bool until_failure = false;
  Shows shows = Shows::nothing;
};

std::uint64_t number(const std::string& name, const std::string& word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) {
    throw std::invalid_argument(fmt::format("{} is '{}'; allowed is a whole number, 0 or more", name, word));
  }
  return value;
}

Options options_of(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--shrink") {
      options.shrinks = true;
    } else if (word == "--until-failure") {
      options.until_failure = true;
    } else if (word == "--trace") {
      const bool all = i + 1 < words.size() && words[i + 1] == "all";
      options.shows = all ? Shows::everything : Shows::disturbances;
      i += all ? 1 : 0;
    } else if (word != "--first" && word != "--runs" && word != "--seed") {
      throw std::invalid_argument(fmt::format(
          "'{}' is unknown; allowed are --first, --runs, --seed, --trace [all], --shrink, --until-failure", word));
    } else {
      if (i + 1 == words.size()) throw std::invalid_argument(word + " has no value");
      const std::uint64_t value = number(word, words[++i]);
      (word == "--runs" ? options.runs : options.first) = value;
      if (word == "--seed") {
        options.one = true;
        options.runs = 1;
      }
    }
  }
  return options;
}

/// Empty if two runs of the seed are the same.
std::string difference(const Outcome& a, const Outcome& b) {
  if (a.hash == b.hash && a.points == b.points && a.failure == b.failure) return {};
  return fmt::format("differs: two runs of the seed have {} and {} points, hashes {:016x} and {:016x}", a.points,
                     b.points, a.hash, b.hash);
}

int run(const std::string& program, const Options& options) {
  std::uint64_t passed = 0;
  std::uint64_t points = 0;
  std::uint64_t hash = 0;
  int failures = 0;
  double longest = 0;
  std::uint64_t slowest = options.first;
  std::uint64_t seed = options.first;
  const std::uint64_t end = options.first + options.runs;
  for (; seed < end && failures < (options.until_failure ? 1 : most_failures); ++seed) {
    if (options.one) fmt::print("{}\n", describe(seed));
    Outcome outcome = run_seed(seed, {}, options.shrinks ? Shows::nothing : options.shows);
    if (options.one || seed % one_in_twice == 0) {
      const std::string differs = difference(outcome, run_seed(seed));
      if (!differs.empty()) outcome.failure = differs;
    }
    points += outcome.points;
    hash = hash * 31 + outcome.hash;
    if (outcome.seconds > longest) {
      longest = outcome.seconds;
      slowest = seed;
    }
    if (outcome.failure.empty()) {
      ++passed;
      continue;
    }
    ++failures;
    fmt::print("FAILED: {} --seed {}: {}\n", program, seed, outcome.failure);
    if (options.shrinks) {
      const Less less = shrink(seed, outcome);
      const Outcome last = run_seed(seed, less, Shows::disturbances);
      fmt::print("{}\n", last.failure);
    }
  }
  fmt::print("{}: seeds {} to {}: {} failed, {} points with hash {:016x}, longest {:.3f} s (seed {})\n", program,
             options.first, static_cast<std::int64_t>(seed) - 1, failures, points, hash, longest, slowest);
  fmt::print("cases passed: {}\n", passed);
  return failures == 0 ? 0 : 1;
}

/// Starts the program again with addresses that are the same in each run, and with large pages for the heap, which save more than
/// half of a seed's page faults.
void fix_surroundings(char** argv) {
  const int was = ::personality(0xffffffffU);
  if (was >= 0 && (was & ADDR_NO_RANDOMIZE) == 0 &&
      ::personality(static_cast<unsigned long>(was) | ADDR_NO_RANDOMIZE) >= 0) {
    ::setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=16777216", 1);
    ::execv("/proc/self/exe", argv);
  }
}

}  // namespace
}  // namespace halocline::simulation

int main(int argc, char** argv) {
  using namespace halocline::simulation;
  try {
    const Options options = options_of({argv + 1, argv + argc});
    fix_surroundings(argv);
    (void)halocline::machine::this_host();  // once, before the seeds: it would be half of a seed's time
    return run(std::filesystem::path(argv[0]).filename().string(), options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
