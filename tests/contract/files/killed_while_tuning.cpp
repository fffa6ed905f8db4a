// SPDX-License-Identifier: BSD-3-Clause
// Kills a process that writes a tuning cache, at random moments, while two others write the same one: killed_while_tuning TIMES SEED
// [CSV]. Each choice that was written must be there afterwards, and the file whole. CSV: a line for each kill. HALOCLINE_KILLS counts
// more than TIMES.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

#include "contract/files/files_case.hpp"
#include "io/tuning_cache.hpp"
#include "io/update_file.hpp"
#include "support/forked.hpp"

namespace halocline::test {
namespace {

constexpr int writers = 3;  ///< the first is killed
constexpr auto patience = std::chrono::seconds(60);

/// Choices of a writer, which differ in `spent`.
io::TunedEntry choice_of(int writer, std::int64_t number) {
  io::TunedEntry entry;
  entry.key.request = {std::to_string(writer), std::string(2000, 'x')};
  entry.winner = {{"messages", "by_rank"}};
  entry.spent = static_cast<double>(number);
  return entry;
}

/// Writes choices until it is killed, and the number of each into a pipe afterwards.
int write_for_ever(const std::string& path, int writer, std::int64_t first, int written) {
  for (std::int64_t number = first;; ++number) {
    io::update_file("cache", path, io::most_cache_bytes, patience, [&](const std::optional<std::string>& before) {
      io::TuningCache cache;
      if (before) cache = io::tuning_cache_from(*before, path);  // damage ends this process
      cache.put(choice_of(writer, number));
      return io::text_of(cache);
    });
    if (write(written, &number, sizeof number) != sizeof number) return 2;
  }
}

/// The newest choice of a writer in the file; -1 if there is none. Throws for a damaged file.
std::int64_t newest(const std::string& path, int writer) {
  const auto text = io::content_if_there("cache", path, io::most_cache_bytes);
  if (!text) return -1;
  const io::TuningCache cache = io::tuning_cache_from(*text, path);
  const io::TunedEntry* const found = cache.find(choice_of(writer, 0).key);
  return found == nullptr ? -1 : static_cast<std::int64_t>(found->spent);
}

struct Killed {
  std::int64_t delay_us = 0;
  bool temporary = false;  ///< it left a temporary file: it was writing
  std::int64_t written = -1;
  std::int64_t found = -1;
  bool passed = false;
};

/// Kills the first writer after some choices; then all others, so that the file is at rest.
Killed kill_one(const TemporaryFolder& folder, const std::string& path, Seeded& random, std::int64_t first) {
  std::array<Pipe, writers> pipes;
  std::array<pid_t, writers> all{};
  for (int w = 0; w < writers; ++w) {
    const auto i = static_cast<std::size_t>(w);
    all[i] = start([&] { return write_for_ever(path, w, first, pipes[i].ends[1]); });
    pipes[i].close_writer();
  }
  Killed killed;
  std::array<std::int64_t, writers> last;
  last.fill(-1);
  std::int64_t number = 0;
  const auto next = [&](std::size_t w) {
    if (read(pipes[w].ends[0], &number, sizeof number) != sizeof number) return false;
    last[w] = number;
    return true;
  };
  for (auto left = random.between(1, 3); left > 0; --left) next(0);
  killed.delay_us = random.between(0, 4000);
  usleep(static_cast<useconds_t>(killed.delay_us));
  kill(all[0], SIGKILL);
  waitpid(all[0], nullptr, 0);
  // The others go on, whatever the first one held.
  for (std::size_t w = 1; w < writers; ++w) next(w);
  for (std::size_t w = 1; w < writers; ++w) kill(all[w], SIGKILL), waitpid(all[w], nullptr, 0);
  for (std::size_t w = 0; w < writers; ++w) {
    while (next(w)) {
    }
  }
  const auto names = TemporaryFolder::names(folder.path());
  killed.temporary = std::ranges::any_of(names, [](const auto& name) { return name.starts_with(".halocline-"); });
  killed.written = last[0];
  killed.passed = true;
  for (int w = 0; w < writers; ++w) {
    const std::int64_t found = newest(path, w);
    if (w == 0) killed.found = found;
    const std::int64_t wrote = last[static_cast<std::size_t>(w)];
    // The last one may have been written without its number in the pipe.
    killed.passed = killed.passed && wrote >= first && (found == wrote || found == wrote + 1);
  }
  return killed;
}

int run(int times, std::uint64_t seed, const char* csv) {
  const TemporaryFolder folder;
  const std::string path = folder.at("tune.json");
  std::ofstream rows(csv);
  rows << "kill,delay_us,writing,written,found,passed\n";
  Seeded random(seed);
  int passed = 0;
  int writing = 0;
  for (int i = 0; i < times; ++i) {
    Killed killed;
    try {
      killed = kill_one(folder, path, random, std::int64_t{1000} * i);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    passed += killed.passed ? 1 : 0;
    writing += killed.temporary ? 1 : 0;
    rows << i << ',' << killed.delay_us << ',' << killed.temporary << ',' << killed.written << ',' << killed.found
         << ',' << killed.passed << '\n';
    if (!killed.passed) {
      std::fprintf(stderr, "FAILED: kill %d of seed %llu: choice %lld of %lld\n", i,
                   static_cast<unsigned long long>(seed), static_cast<long long>(killed.found),
                   static_cast<long long>(killed.written));
    }
    for (const std::string& name : TemporaryFolder::names(folder.path())) {
      if (name.starts_with(".halocline-")) std::filesystem::remove(folder.path() / name);
    }
  }
  std::printf("killed while a temporary file was there: %d\n", writing);
  std::printf("cases passed: %d of %d\n", passed, times);
  return passed == times && times > 0 ? 0 : 1;
}

}  // namespace
}  // namespace halocline::test

int main(int argc, char** argv) { return halocline::test::run_kills(argc, argv, "20", halocline::test::run); }
