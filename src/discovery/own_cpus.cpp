// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/own_cpus.hpp"

#include <sched.h>

#include <utility>

#include "discovery/probe.hpp"

namespace halocline::machine {

OwnCpus own_cpus() {
  OwnCpus own;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return own;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) own.cpus.push_back(cpu);
  }
  const std::vector<int>& numa_of = this_host().numa_of_cpu;
  for (std::size_t i = 0; i < own.cpus.size(); ++i) {
    const int numa = std::cmp_less(own.cpus[i], numa_of.size()) ? numa_of[static_cast<std::size_t>(own.cpus[i])] : -1;
    if (i > 0 && numa != own.numa) {
      own.numa = -1;
      break;
    }
    own.numa = numa;
  }
  return own;
}

}  // namespace halocline::machine
