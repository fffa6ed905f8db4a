// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "profile/memory.hpp"
#include "profile/peers.hpp"

namespace halocline::profile {

/// A number of bytes and of messages for each place, counted by any thread.
struct Cell {
  std::array<std::atomic<std::int64_t>, 2> bytes{};
  std::array<std::atomic<std::int64_t>, 2> messages{};

  void add(Place place, std::int64_t more_bytes, std::int64_t more_messages) noexcept {
    const auto at = static_cast<std::size_t>(place);
    bytes[at].fetch_add(more_bytes, std::memory_order_relaxed);
    messages[at].fetch_add(more_messages, std::memory_order_relaxed);
  }
};

/// What a persistent request sends each time it is started.
struct Planned {
  Cell* cell = nullptr;
  Place place = Place::cpu;
  std::int64_t bytes = 0;
};

/// All that is known of this process's traffic between MPI_Init and MPI_Finalize.
class Recorder {
 public:
  /// After MPI_Init.
  Recorder();

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] PeerCache& peers() { return peers_; }
  /// What this rank sends to a rank of the world; null for MPI_UNDEFINED and the like.
  [[nodiscard]] Cell* sent(int to) { return to < 0 || to >= ranks_ ? nullptr : &sent_[static_cast<std::size_t>(to)]; }
  /// What this rank fetches from another one's memory.
  [[nodiscard]] Cell* fetched(int from) {
    return from < 0 || from >= ranks_ ? nullptr : &fetched_[static_cast<std::size_t>(from)];
  }

  void plan(MPI_Request request, const Planned& planned);
  void start(MPI_Request request);
  void forget(MPI_Request request);

  /// Something could not be counted, for want of memory.
  void give_up() noexcept { complete_.store(false, std::memory_order_relaxed); }
  [[nodiscard]] bool complete() const { return complete_.load(std::memory_order_relaxed); }

 private:
  int ranks_ = 1;
  int rank_ = 0;
  PeerCache peers_;
  std::unique_ptr<Cell[]> sent_;
  std::unique_ptr<Cell[]> fetched_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Planned> planned_;  ///< by request
  std::atomic<bool> complete_ = true;
};

/// Null before MPI_Init, and from MPI_Finalize on.
[[nodiscard]] Recorder* recorder() noexcept;
void start_recording() noexcept;
/// Returns it: it stays where it is, as other threads may be about to write.
Recorder* stop_recording() noexcept;

/// Whether this thread's messages are excluded from counting: halocline_profile_pause().
[[nodiscard]] bool paused() noexcept;

/// Runs body on the recorder, if there is one, for anything other than counting messages. No exception leaves it: a
/// program must not end because it is profiled.
template <typename Body>
void note_down(Body&& body) noexcept {
  Recorder* const all = recorder();
  if (all == nullptr) return;
  try {
    body(*all);
  } catch (...) {
    all->give_up();
  }
}

/// Counts messages, if there is a recorder.
template <typename Body>
void record(Body&& body) noexcept {
  if (!paused()) note_down(std::forward<Body>(body));
}

/// Returns 0 if the type is invalid or the number negative.
[[nodiscard]] std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) noexcept;

/// Returns the cell for a message to a rank of a communicator; null if there is none (MPI_PROC_NULL).
[[nodiscard]] Cell* cell_of(Recorder& all, const Peers* peers, int to);
[[nodiscard]] inline Cell* cell_of(Recorder& all, MPI_Comm comm, int to) {
  return to < 0 ? nullptr : cell_of(all, all.peers().of_comm(comm), to);
}

}  // namespace halocline::profile
