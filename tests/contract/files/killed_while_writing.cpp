// SPDX-License-Identifier: BSD-3-Clause
// Kills a process that writes checkpoints, at random moments, and restores what it left: killed_while_writing TIMES SEED [CSV].
// Each checkpoint that was committed must be there, whole. CSV: a line for each kill. HALOCLINE_KILLS counts more than TIMES. This
// process makes no domain, so that the processes that it forks begin without threads.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "comm/local_ranks.hpp"
#include "contract/files/files_case.hpp"
#include "io/manifest.hpp"
#include "support/forked.hpp"

namespace halocline::test {
namespace {

FilesCase small_case() {
  FilesCase c;
  c.extent = {20, 18, 16};
  return c;
}

constexpr int generations = 2;

/// Writes checkpoints until it is killed, on two ranks, and a byte into a pipe after each.
int write_for_ever(const std::string& folder, int ready) {
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, small_case());
    Checkpoints checkpoints(d.domain, folder, {.generations = generations});
    const auto before = checkpoints.restore();
    for (std::int64_t salt = before ? std::stoll(before->metadata.at("salt")) + 1 : 1;; ++salt) {
      fill(d, salt % 1000);
      checkpoints.start({{"salt", std::to_string(salt)}});
      fill(d, 1000);  // later than start()
      checkpoints.finish();
      if (comm.rank() == rank_id(0) && write(ready, "", 1) != 1) std::_Exit(2);
    }
  });
  return 1;
}

/// 0 if the newest checkpoint is whole, as are all of its cells; writes its number.
int restore_once(const std::string& folder, int result) {
  int status = 3;
  comm::run_as_threads(1, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, small_case());
    Checkpoints checkpoints(d.domain, folder);
    const auto restored = checkpoints.restore();
    if (!restored) return;
    const std::int64_t salt = std::stoll(restored->metadata.at("salt"));
    const bool whole = restored->refused.empty() && different(d, salt % 1000) == 0;
    status = whole && write(result, &salt, sizeof salt) == sizeof salt ? 0 : 4;
  });
  return status;
}

/// What the killed process was doing, by the files that it left.
enum class Doing : int { writing_cells, writing_the_manifest, removing_old_ones, nothing };
constexpr std::array<const char*, 4> names{"writing cells", "writing the manifest", "removing old ones", "between two"};

Doing doing_in(const std::string& folder) {
  std::set<std::string> manifests, others;
  bool temporary = false;
  const std::string first = io::manifest_name(0);
  for (const std::string& name : TemporaryFolder::names(folder)) {
    temporary = temporary || name.starts_with(".halocline-");
    if (name.starts_with('.')) continue;
    const std::string generation = name.substr(0, first.size() - std::string(".json").size());
    (name.ends_with(".json") ? manifests : others).insert(generation);
  }
  if (temporary) return Doing::writing_the_manifest;
  if (!others.empty() && (manifests.empty() || *others.rbegin() > *manifests.rbegin())) return Doing::writing_cells;
  return manifests.size() > generations || others != manifests ? Doing::removing_old_ones : Doing::nothing;
}

/// Kills a writer after some checkpoints, so that it is killed while it writes, not while it starts; returns how many it has committed.
std::int64_t kill_one(const std::string& folder, Seeded& random, std::int64_t& delay_us) {
  Pipe committed;
  const pid_t writer = start([&] { return write_for_ever(folder, committed.ends[1]); });
  committed.close_writer();
  char byte = 0;
  std::int64_t count = 0;
  for (auto left = random.between(1, 3); left > 0; --left) count += read(committed.ends[0], &byte, 1);
  delay_us = random.between(0, 8000);
  usleep(static_cast<useconds_t>(delay_us));
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
  while (read(committed.ends[0], &byte, 1) == 1) ++count;
  return count;
}

int run(int times, std::uint64_t seed, const char* csv) {
  const TemporaryFolder folder;
  const std::string run = folder.at("run");
  std::ofstream rows(csv);
  rows << "kill,delay_us,doing,committed,restored,passed\n";
  Seeded random(seed);
  int passed = 0;
  std::array<int, names.size()> moments{};
  std::int64_t before = 0;
  for (int i = 0; i < times; ++i) {
    std::int64_t delay_us = 0;
    const std::int64_t committed = before + kill_one(run, random, delay_us);
    const auto doing = static_cast<std::size_t>(doing_in(run));
    ++moments.at(doing);
    int status = 0;
    std::int64_t restored = 0;
    Pipe result;
    waitpid(start([&] { return restore_once(run, result.ends[1]); }), &status, 0);
    result.close_writer();
    const bool whole = WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                       read(result.ends[0], &restored, sizeof restored) == sizeof restored;
    // The last one may have been committed without its byte in the pipe.
    const bool right = whole && (restored == committed || restored == committed + 1);
    rows << i << ',' << delay_us << ',' << names.at(doing) << ',' << committed << ',' << restored << ',' << right
         << '\n';
    if (right) {
      ++passed;
    } else {
      std::fprintf(stderr, "FAILED: kill %d of seed %llu, %s: status %d, checkpoint %lld of %lld\n", i,
                   static_cast<unsigned long long>(seed), names.at(doing), status, static_cast<long long>(restored),
                   static_cast<long long>(committed));
    }
    before = restored;
  }
  for (std::size_t i = 0; i < names.size(); ++i) std::printf("killed while %s: %d\n", names[i], moments[i]);
  std::printf("cases passed: %d of %d\n", passed, times);
  return passed == times && times > 0 ? 0 : 1;
}

}  // namespace
}  // namespace halocline::test

int main(int argc, char** argv) { return halocline::test::run_kills(argc, argv, "50", halocline::test::run); }
