// SPDX-License-Identifier: BSD-3-Clause
#include "driver/child.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <new>
#include <stdexcept>
#include <thread>

#include "target.hpp"

namespace halocline::fuzz {
namespace {

#ifdef HALOCLINE_FUZZ_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// What the child tells the parent while it runs, in memory of both.
struct Progress {
  std::atomic<std::uint64_t> seed{0};
  std::atomic<std::int64_t> began{0};  ///< when the input began, in nanoseconds of the child's processor time
  std::atomic<std::uint64_t> valid{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::int64_t> longest{0};
  std::atomic<std::uint64_t> slowest{0};
  std::atomic<bool> ended{false};
};

std::int64_t nanoseconds(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return 0;
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

class SharedProgress {
 public:
  SharedProgress() {
    void* memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error(fmt::format("mmap: {}", std::strerror(errno)));
    progress_ = new (memory) Progress;
  }
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;
  ~SharedProgress() { munmap(progress_, sizeof(Progress)); }
  Progress* operator->() const { return progress_; }
  Progress& operator*() const { return *progress_; }

 private:
  Progress* progress_;
};

/// Bytes of address space that the process has now.
std::uint64_t address_space() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void limit_this_process(const Limits& limits) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (sanitized) return;
  const std::uint64_t most = address_space() + limits.memory;
  const rlimit memory{most, most};
  setrlimit(RLIMIT_AS, &memory);
}

void run_one(const std::string& input, Progress& progress) {
  const std::int64_t began = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  progress.began = began;
  // A copy of exactly its size, so that a read behind it is noticed.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  static_cast<void>(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()));
  const std::int64_t took = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - began;
  if (took > progress.longest) {
    progress.longest = took;
    progress.slowest = progress.seed.load();
  }
  ++(was_valid ? progress.valid : progress.refused);
}

/// Waits for the child; ends it if an input takes too long. Why it failed, or nothing.
std::string watch(pid_t child, const Progress& progress, const Limits& limits) {
  using namespace std::chrono;
  const double seconds = limits.seconds * (sanitized ? 10 : 1);
  clockid_t clock{};
  const bool has_clock = clock_getcpuclockid(child, &clock) == 0;
  std::uint64_t seen = progress.seed;
  auto since = steady_clock::now();
  int status = 0;
  for (auto nap = milliseconds(1); waitpid(child, &status, WNOHANG) == 0; nap = std::min(2 * nap, milliseconds(16))) {
    std::this_thread::sleep_for(nap);
    if (progress.seed != seen) {
      seen = progress.seed;
      since = steady_clock::now();
    }
    const double busy = has_clock ? 1e-9 * static_cast<double>(nanoseconds(clock) - progress.began) : 0;
    const double waited = duration<double>(steady_clock::now() - since).count();
    // A process that waits uses no processor; it may be a slow machine, too.
    if (progress.ended || (busy <= seconds && waited <= 30 * seconds)) continue;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return fmt::format("takes longer than {} s", seconds);
  }
  if (WIFSIGNALED(status)) return fmt::format("ends by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return status == 0 ? "" : fmt::format("ends with exit code {}", WEXITSTATUS(status));
}

std::string in_child(const std::function<void(Progress&)>& work, const SharedProgress& progress, const Limits& limits) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  if (child == 0) {
    limit_this_process(limits);
    work(*progress);
    progress->ended = true;
    std::exit(0);  // leaks are looked for here
  }
  return watch(child, *progress, limits);
}

void add(const Progress& progress, Tally& tally) {
  tally.valid += progress.valid;
  tally.refused += progress.refused;
  const double longest = 1e-9 * static_cast<double>(progress.longest);
  if (longest <= tally.longest) return;
  tally.longest = longest;
  tally.slowest = progress.slowest;
}

}  // namespace

Outcome run_seeds(const Mutator& mutator, std::uint64_t first, std::uint64_t end, const Limits& limits, Tally& tally) {
  const SharedProgress progress;
  progress->seed = first;
  const std::string failure = in_child(
      [&](Progress& at) {
        for (std::uint64_t seed = first; seed < end; ++seed) {
          at.seed = seed;
          run_one(mutator.input(seed), at);
        }
      },
      progress, limits);
  add(*progress, tally);
  if (progress->ended) return {end, failure, !failure.empty()};
  return {progress->seed + 1, failure, false};
}

std::string run_input(const std::string& input, const Limits& limits, Tally& tally) {
  const SharedProgress progress;
  std::string failure = in_child([&](Progress& at) { run_one(input, at); }, progress, limits);
  add(*progress, tally);
  return failure;
}

}  // namespace halocline::fuzz
