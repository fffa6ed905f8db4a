// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace halocline::comm::mpi {

class Transfer;

/// The requests under way of a communicator. MPI is called once for all of them: a test that comes after the last call had news for
/// this request takes the news, and calls MPI only if it has had them. So a loop over many requests lets MPI make progress, and
/// perhaps yield the core, once and not for each of them.
class Pending {
 public:
  /// Room for one more request: to be called before MPI starts it, which must not be forgotten for want of memory.
  void make_room();
  void add(Transfer& transfer) noexcept;
  /// Of a request that is not tested any more.
  void remove(const Transfer& transfer) noexcept;
  /// Whether the request is done; Transfer::outcome then has what MPI returned. Throws CommunicationError if MPI fails as a whole.
  [[nodiscard]] bool test(Transfer& transfer);
  /// Calls of MPI so far.
  [[nodiscard]] std::uint64_t polls() const { return polls_; }

 private:
  void poll();

  std::uint64_t polls_ = 0;
  std::vector<Transfer*> transfers_;
  std::vector<MPI_Request> requests_;  ///< of `transfers_`
  std::vector<int> done_;              ///< MPI_Testsome's answer, as are the statuses: with room for all requests
  std::vector<MPI_Status> statuses_;
};

}  // namespace halocline::comm::mpi
