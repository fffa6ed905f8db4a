// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "core/serialise.hpp"

namespace halocline::comm {

/// For calls of MPI that do not return: what the processes of this job on this node show, without communication. Threads have names, so
/// that a process that is in a call can be seen by the others (/proc/PID/task/TID/comm).

/// Gives the calling thread the name of a call.
void show_call(std::string_view call) noexcept;

/// Whether the launcher has started all ranks of the job on this node, as far as it tells.
[[nodiscard]] bool job_on_one_node();

/// "rank 1 of MPI_COMM_WORLD is missing": the ranks that have ended or are stopped, or that have no thread with the name of the call,
/// unless it is empty. Empty if there is none, as all that are missing are on other nodes, or if the launcher does not
/// tell which processes are the job's (PMIx does).
[[nodiscard]] std::string missing_from(std::string_view call);

/// A process of this node, as others can look at it.
struct Process {
  std::int64_t id = 0;
  std::string started;  ///< in the kernel's units: numbers of processes are used again; empty where it cannot be read
};
auto members(MaybeConst<Process> auto& process) { return std::tie(process.id, process.started); }

[[nodiscard]] Process this_process();
/// Whether it has neither ended nor been stopped; true where that cannot be read.
[[nodiscard]] bool runs(const Process& process);

}  // namespace halocline::comm
