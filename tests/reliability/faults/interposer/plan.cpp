// SPDX-License-Identifier: BSD-3-Clause
#include "plan.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "sites.hpp"

namespace faults {
namespace {

[[noreturn]] void refuse(const char* text) {
  std::fprintf(stderr, "FAULTS_FAIL is '%s'; allowed is SITE:NUMBER:once|on:RANK|all\n", text);
  ::_exit(3);
}

Plan read_plan() {
  Plan read;
  const char* const text = std::getenv("FAULTS_FAIL");
  if (text == nullptr) return read;
  unsigned long long site = 0;
  unsigned long long number = 0;
  char mode[8] = {};
  char which[8] = {};
  if (std::sscanf(text, "%llx:%llu:%7[^:]:%7s", &site, &number, mode, which) != 4 || site == 0 || number == 0)
    refuse(text);
  read.site = site;
  read.number = number;
  if (std::strcmp(mode, "on") == 0) read.from_then_on = true;
  else if (std::strcmp(mode, "once") != 0) refuse(text);
  read.rank = std::strcmp(which, "all") == 0 ? -1 : std::atoi(which);
  return read;
}

int rank_of_process() {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    if (const char* const text = std::getenv(name)) return std::atoi(text);
  }
  return 0;
}

constexpr int unknown = -1;
thread_local int rank_of_thread = unknown;
/// Set while this library's own code runs, whose calls are not counted.
thread_local bool inside = false;

}  // namespace

const Plan& plan() {
  static const Plan read = read_plan();
  return read;
}

int rank() {
  static const int process = rank_of_process();
  return rank_of_thread == unknown ? process : rank_of_thread;
}

void set_rank(int rank) { rank_of_thread = rank; }

void* next_of(Point& point) {
  auto* const known = &point.next;
  void* next = __atomic_load_n(known, __ATOMIC_ACQUIRE);
  if (next != nullptr) return next;
  next = ::dlsym(RTLD_NEXT, point.name);
  if (next == nullptr) {
    std::fprintf(stderr, "no library has %s\n", point.name);
    ::_exit(3);
  }
  __atomic_store_n(known, next, __ATOMIC_RELEASE);
  return next;
}

bool fails(Point& point) {
  if (inside) return false;
  inside = true;
  const int mine = rank();
  const int bit = 1 << (mine & 31);
  const Site site = site_of_call(point.name);
  bool failing = false;
  if (site.key != 0) {
    const std::uint64_t number = count(site, point.name, mine);
    const Plan& faults = plan();
    failing = (__atomic_load_n(&point.lasting, __ATOMIC_RELAXED) & bit) != 0;
    if (site.key == faults.site && number == faults.number && (faults.rank < 0 || faults.rank == mine)) {
      failing = true;
      if (faults.from_then_on) __atomic_fetch_or(&point.lasting, bit, __ATOMIC_RELAXED);
      report_fault(site, point.name, mine);
    }
  }
  inside = false;
  return failing;
}

}  // namespace faults

/// For programs whose ranks are threads: the rank of the calling thread, and of those that it starts.
extern "C" [[gnu::visibility("default")]] void faults_set_rank(int rank) { faults::set_rank(rank); }
