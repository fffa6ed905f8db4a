// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace halocline::machine {

/// Where the calling thread may run.
struct OwnCpus {
  std::vector<int> cpus;  ///< processing units, by the operating system's number; empty if it does not report them
  int numa = -1;  ///< the vertex of the NUMA node, in a node's graph, that all of them are in; -1: several, or unknown
};
/// Local. Asks each time, because a program may bind its threads at any time.
[[nodiscard]] OwnCpus own_cpus();

}  // namespace halocline::machine
