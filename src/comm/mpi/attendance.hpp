// SPDX-License-Identifier: BSD-3-Clause
// Which ranks of a communicator still take part. A rank that waits answers roll calls of the others. A rank whose wait has ended
// calls the roll of its node before it gives up. An error is sent to the other ranks, whose waits end with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "halocline/error.hpp"

namespace halocline::comm::mpi {

struct State;
/// What a rank sends when it fails and when it ends.
struct Parting;

/// What a rank keeps for this of each communicator.
struct Attendance {
  bool on_one_node = false;    ///< all ranks, surely
  std::int32_t round = 0;      ///< number of its last roll call
  std::vector<bool> answered;  ///< that roll call, by rank
  bool notified = false;       ///< it has sent its error
  struct Left {
    ErrorKind kind;
    std::string text;  ///< "rank 2: ..."
  };
  std::optional<Left> left;  ///< the first error that another rank has sent; any thread that waits may receive it
  bool leaving = false;      ///< it has taken leave
  std::vector<bool> gone;    ///< ranks that have taken leave of it
  Parting* parting =
      nullptr;  ///< in advance, as memory may have run out by then; MPI may read it until the process ends
};

/// Makes a communicator one whose messages attend() receives; forgets it, before it is freed. Throws std::bad_alloc.
void enlist(State& state);
void delist(State& state) noexcept;

/// Answers the roll calls of other ranks, and receives their errors, which poison the communicator. Of all communicators of this
/// process, if the last time is 2 ms ago. For waits. Throws nothing of MPI's.
void attend();

/// Calls the roll: "rank 1 of MPI_COMM_WORLD is missing" if that rank has not answered within 0.15 s, as it has ended, is stopped, or
/// is in other code; empty if all have answered, or if the ranks may be on several nodes. If another rank sends its error meanwhile, this error. Calls only the nearest 256
/// ranks by number, to either side.
[[nodiscard]] std::string call_roll(State& state);

/// Sends the exception that is handled now to the ranks nearest by number, as many as a roll call may ask; once. If ranks may be on
/// several nodes, not one that says that another rank is gone or late.
void send_error(State& state) noexcept;

/// At the end of a process, after an error, of a communicator with the ranks of MPI_COMM_WORLD: waits at most 0.2 s until the other ranks, as
/// many as a roll call may ask, are there, too. Not for ranks that did not answer the last roll call, of any communicator.
void take_leave(State& state) noexcept;

/// Throws what another rank has sent, after "what: "; nothing if none has sent an error.
void throw_if_left(const State& state, std::string_view what);
/// The same, or that an earlier error, or MPI_Finalize, has made the communicator unusable.
[[noreturn]] void throw_unusable(const State& state, std::string_view what);

}  // namespace halocline::comm::mpi
