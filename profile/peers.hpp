// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

namespace halocline::profile {

/// Whom a rank meets in a communicator, as ranks of MPI_COMM_WORLD.
struct Peers {
  bool inter = false;           ///< world is the remote group
  int rank = 0;                 ///< in the own group
  int size = 0;                 ///< of the group that messages go to
  std::vector<int> world;       ///< by rank; MPI_UNDEFINED outside the world
  std::vector<int> neighbours;  ///< of a topology: ranks that neighbourhood collectives send to, in their order
};

/// Looked up once for each communicator, and kept with it as an attribute until MPI frees it. Thread-safe.
class PeerCache {
 public:
  /// After MPI_Init.
  PeerCache();
  /// Null for a null handle. Two names, as both kinds of handles are the same type in some MPIs.
  [[nodiscard]] const Peers* of_comm(MPI_Comm comm);
  [[nodiscard]] const Peers* of_window(MPI_Win window);

 private:
  int comm_key_ = MPI_KEYVAL_INVALID;
  int window_key_ = MPI_KEYVAL_INVALID;
  Peers world_;
};

}  // namespace halocline::profile
