// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "comm/local/local_requests.hpp"
#include "comm/mpi/attendance.hpp"
#include "comm/mpi/finalisation.hpp"
#include "comm/mpi/layout.hpp"
#include "comm/mpi/pending.hpp"

namespace halocline::comm::mpi {

/// A non-blocking collective together with all memory that it reads and writes. If it is given up at a deadline, it is
/// never freed, because MPI may still write into it.
struct Operation {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  std::vector<std::byte> in;
  std::vector<std::byte> out;
  std::vector<int> counts;
  std::vector<int> offsets;
  std::unique_ptr<Layout> layout;
};

/// What a communicator and its requests share on this rank.
struct State {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  int largest_count = Layout::largest;
  /// Messages of a rank to itself do not use MPI: Open MPI 4.1.4 writes past the end of a receive that is too short for
  /// one.
  local::Member self;
  std::shared_ptr<local::Life> life = std::make_shared<local::Life>();
  Pending pending;
  Attendance attendance;

  [[nodiscard]] bool poisoned() const noexcept { return life->poisoned; }
  /// Whether MPI may be called with it; throw_unusable() has the reason why not.
  [[nodiscard]] bool usable() const noexcept { return !poisoned() && !finalising(); }
};

/// Records that MPI_Finalize may not be called any more.
void poison_process() noexcept;
/// Poisons the state, and the process.
void poison(State& state) noexcept;
[[nodiscard]] bool any_poisoned() noexcept;

/// Logs, once in a process, that something was leaked.
void log_leak_once(int size) noexcept;

}  // namespace halocline::comm::mpi
