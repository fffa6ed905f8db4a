// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "comm/local/local_requests.hpp"
#include "comm/mpi/layout.hpp"

namespace halocline::comm::mpi {

/// A non-blocking collective together with all memory that it reads and writes. Where it is given up at a deadline it
/// is kept for ever, because MPI may still write into it.
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
  /// Messages to oneself do not go through MPI: Open MPI 4.1.4 writes behind a receive that is too short for one.
  local::Member self;
  std::shared_ptr<local::Life> life = std::make_shared<local::Life>();
  std::vector<std::shared_ptr<Operation>> abandoned;

  [[nodiscard]] bool poisoned() const noexcept { return life->poisoned; }
};

/// Poisons, and remembers for the whole process that MPI_Finalize may not be called any more.
void poison(State& state) noexcept;
[[nodiscard]] bool any_poisoned() noexcept;

/// Says once in a process that something was leaked.
void log_leak_once(int size) noexcept;

}  // namespace halocline::comm::mpi
