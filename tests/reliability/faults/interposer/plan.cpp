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
  std::fprintf(stderr,
               "FAULTS_FAIL is '%s'; allowed is SITE:NUMBER:once|on:RANK|all or none, or up to 129 of them with commas "
               "in between\n",
               text);
  ::_exit(3);
}

Plan read_plan(const char* text) {
  Plan read;
  if (std::strncmp(text, "none", 4) == 0) return read;
  unsigned long long site = 0;
  unsigned long long number = 0;
  char mode[8] = {};
  char which[8] = {};
  if (std::sscanf(text, "%llx:%llu:%7[^:]:%7[^,]", &site, &number, mode, which) != 4 || site == 0 || number == 0)
    refuse(text);
  read.site = site;
  read.number = number;
  if (std::strcmp(mode, "on") == 0) read.from_then_on = true;
  else if (std::strcmp(mode, "once") != 0) refuse(text);
  read.rank = std::strcmp(which, "all") == 0 ? -1 : std::atoi(which);
  return read;
}

struct Lives {
  static constexpr std::size_t most = 129;
  Plan plans[most];
  std::size_t count = 0;
  std::atomic<std::size_t> now{0};

  Lives() {
    const char* const text = std::getenv("FAULTS_FAIL");
    for (const char* at = text; at != nullptr; at = std::strchr(at, ',')) {
      if (*at == ',') ++at;
      if (count == most) refuse(text);
      plans[count++] = read_plan(at);
    }
  }
};

Lives& lives() {
  static Lives all;
  return all;
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
  static const Plan nothing;
  const Lives& all = lives();
  const std::size_t now = all.now.load(std::memory_order_relaxed);
  return now < all.count ? all.plans[now] : nothing;
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
  const std::uint64_t life = lives().now.load(std::memory_order_relaxed) << 32;
  const std::uint64_t bit = std::uint64_t{1} << (mine & 31);
  const Site site = site_of_call(point.name);
  bool failing = false;
  if (site.key != 0) {
    const std::uint64_t number = count(site, point.name, mine);
    const Plan& faults = plan();
    std::uint64_t lasting = __atomic_load_n(&point.lasting, __ATOMIC_RELAXED);
    const auto of_this_life = [life](std::uint64_t bits) { return bits >> 32 << 32 == life ? bits : life; };
    failing = (of_this_life(lasting) & bit) != 0;
    if (site.key == faults.site && number == faults.number && (faults.rank < 0 || faults.rank == mine)) {
      failing = true;
      while (faults.from_then_on && !__atomic_compare_exchange_n(&point.lasting, &lasting, of_this_life(lasting) | bit,
                                                                 false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      }
      report_fault(site, point.name, mine, life >> 32);
    }
  }
  inside = false;
  return failing;
}

}  // namespace faults

/// For programs whose ranks are threads: the rank of the calling thread, and of those that it starts.
extern "C" [[gnu::visibility("default")]] void faults_set_rank(int rank) { faults::set_rank(rank); }

/// For programs that live several times: the next life begins, in which calls are counted anew, and the next plan of FAULTS_FAIL holds. No other
/// thread makes calls that count meanwhile.
extern "C" [[gnu::visibility("default")]] void faults_next_life() {
  ++faults::lives().now;
  faults::forget_calls();
}
