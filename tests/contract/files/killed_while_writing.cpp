// SPDX-License-Identifier: BSD-3-Clause
// Kills a process that writes checkpoints, at random moments, and restores what it left: killed_while_writing TIMES SEED.
// This process makes no domain, so that the processes that it forks begin without threads.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>

#include "comm/local_ranks.hpp"
#include "contract/files/files_case.hpp"

namespace halocline::test {
namespace {

FilesCase small_case() {
  FilesCase c;
  c.extent = {20, 18, 16};
  return c;
}

/// Writes checkpoints until it is killed, and a byte into a pipe after the first one.
int write_for_ever(const std::string& folder, int ready) {
  comm::run_as_threads(1, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, small_case());
    Checkpoints checkpoints(d.domain, folder);
    const auto before = checkpoints.restore();
    for (std::int64_t salt = before ? std::stoll(before->metadata.at("salt")) + 1 : 1;; ++salt) {
      fill(d, salt % 1000);
      checkpoints.write({{"salt", std::to_string(salt)}});
      if (write(ready, "", 1) != 1) std::_Exit(2);
    }
  });
  return 1;
}

/// 0 if the newest checkpoint is whole, as are all of its cells.
int restore_once(const std::string& folder) {
  int status = 3;
  comm::run_as_threads(1, [&](comm::RankGroup& comm) {
    FilesDomain d(comm, small_case());
    Checkpoints checkpoints(d.domain, folder);
    const auto restored = checkpoints.restore();
    if (!restored) return;
    const bool whole = restored->refused.empty() && different(d, std::stoll(restored->metadata.at("salt")) % 1000) == 0;
    status = whole ? 0 : 4;
  });
  return status;
}

pid_t start(const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  int status = 5;
  try {
    status = body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::fflush(nullptr);
  std::_Exit(status);
}

int run(int times, std::uint64_t seed) {
  const TemporaryFolder folder;
  const std::string run = folder.at("run");
  Seeded random(seed);
  int passed = 0;
  for (int i = 0; i < times; ++i) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return 2;
    const pid_t writer = start([&] { return write_for_ever(run, ends[1]); });
    close(ends[1]);
    // After some checkpoints, so that it is killed while it writes, not while it starts.
    char byte = 0;
    for (auto left = random.between(1, 3); left > 0; --left) {
      if (read(ends[0], &byte, 1) != 1) std::fprintf(stderr, "the writer ended\n");
    }
    usleep(static_cast<useconds_t>(random.between(0, 8000)));
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    close(ends[0]);
    int status = 0;
    waitpid(start([&] { return restore_once(run); }), &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ++passed;
    else
      std::fprintf(stderr, "FAILED: kill %d of seed %llu: status %d\n", i, static_cast<unsigned long long>(seed),
                   status);
  }
  std::printf("cases passed: %d of %d\n", passed, times);
  return passed == times && times > 0 ? 0 : 1;
}

}  // namespace
}  // namespace halocline::test

int main(int argc, char** argv) {
  return halocline::test::run(argc > 1 ? std::atoi(argv[1]) : 50,
                              argc > 2 ? static_cast<std::uint64_t>(std::atoll(argv[2])) : 1);
}
