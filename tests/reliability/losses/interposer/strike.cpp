// SPDX-License-Identifier: BSD-3-Clause
// When this process is lost, from the environment: LOSSES_AT=RANK:KIND:NUMBER:FATE, such as 1:mpi:17:killed. KIND: step, mpi, system or
// futex. FATE: killed (SIGKILL), stopped (SIGSTOP), or stuck (sleeps for ever). The rank is the launcher's. Before it is lost, it writes
// the file "struck" in the folder of LOSSES_FOLDER: time, function, number, phase. A process that ends writes "counts-RANK".
#include "strike.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace losses {
namespace {

constexpr const char* kinds[] = {"step", "mpi", "system", "futex"};
std::atomic<long> counts[4];
std::atomic<bool> begun{false};
std::atomic<const char*> phase{"none"};

int rank_of_process() {
  const char* const text = std::getenv("OMPI_COMM_WORLD_RANK");
  return text == nullptr ? 0 : std::atoi(text);
}

struct Plan {
  int kind = -1;
  long number = 0;
  char fate[12] = {};
};

Plan read_plan() {
  Plan plan;
  const char* const text = std::getenv("LOSSES_AT");
  if (text == nullptr) return plan;
  int rank = -1;
  char kind[12] = {};
  if (std::sscanf(text, "%d:%11[^:]:%ld:%11s", &rank, kind, &plan.number, plan.fate) != 4) {
    std::fprintf(stderr, "LOSSES_AT is '%s'; allowed is RANK:step|mpi|system|futex:NUMBER:killed|stopped|stuck\n",
                 text);
    ::_exit(3);
  }
  for (int i = 0; i < 4; ++i) {
    if (rank == rank_of_process() && std::strcmp(kind, kinds[i]) == 0) plan.kind = i;
  }
  return plan;
}

const Plan& plan() {
  static const Plan read = read_plan();
  return read;
}

/// Without functions that this library stands in front of.
void write_file(const char* name, const char* text) {
  const char* const folder = std::getenv("LOSSES_FOLDER");
  if (folder == nullptr) return;
  char path[600];
  std::snprintf(path, sizeof path, "%s/%s", folder, name);
  auto* const system = reinterpret_cast<long (*)(long, ...)>(::dlsym(RTLD_NEXT, "syscall"));
  const long file = system(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  system(SYS_write, file, text, std::strlen(text));
  system(SYS_close, file);
}

void strike(const char* name, long number) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  char text[400];
  std::snprintf(text, sizeof text, "%lld.%06ld|%s|%ld|%s\n", static_cast<long long>(now.tv_sec), now.tv_nsec / 1000,
                name, number, phase.load());
  write_file("struck", text);
  if (std::strcmp(plan().fate, "killed") == 0) ::raise(SIGKILL);
  if (std::strcmp(plan().fate, "stopped") == 0) ::kill(::getpid(), SIGSTOP);
  for (;;) {
    const timespec hour{3600, 0};
    ::nanosleep(&hour, nullptr);
  }
}

[[gnu::destructor]] void write_counts() {
  if (!begun) return;
  char name[40];
  char text[200];
  std::snprintf(name, sizeof name, "counts-%d", rank_of_process());
  std::snprintf(text, sizeof text, "step %ld\nmpi %ld\nsystem %ld\nfutex %ld\n", counts[0].load(), counts[1].load(),
                counts[2].load(), counts[3].load());
  write_file(name, text);
}

}  // namespace

void count(Kind kind, const char* name) {
  if (!begun.load(std::memory_order_relaxed)) return;
  const long number = counts[static_cast<int>(kind)].fetch_add(1, std::memory_order_relaxed) + 1;
  if (static_cast<int>(kind) == plan().kind && number == plan().number) strike(name, number);
}

void* next_of(Point& point) {
  void* next = __atomic_load_n(&point.next, __ATOMIC_ACQUIRE);
  if (next != nullptr) return next;
  next = ::dlsym(RTLD_NEXT, point.name);
  if (next == nullptr) {
    std::fprintf(stderr, "no library has %s\n", point.name);
    ::_exit(3);
  }
  __atomic_store_n(&point.next, next, __ATOMIC_RELEASE);
  return next;
}

}  // namespace losses

/// From here on calls are counted.
extern "C" [[gnu::visibility("default")]] void losses_begin() { losses::begun = true; }
/// A step of the program's own code. phase: of static storage.
extern "C" [[gnu::visibility("default")]] void losses_step(const char* phase) {
  losses::phase = phase;
  losses::count(losses::Kind::step, "losses_step");
}
