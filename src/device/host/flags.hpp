// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/host/operation.hpp"

namespace halocline::device::host {

/// How far a wait for flags has come since it became the first operation of its queue.
struct FlagProgress {
  bool begun = false;
  std::uint64_t epoch = 0;  ///< the value of *epoch when it began
  Duration since{};         ///< time when it began
  std::size_t next = 0;     ///< the waits before this one are complete, and their tokens matched
};

/// Throws ProtocolError if the condition does not hold.
void require(const CounterCheck& check);

/// Stores the token, then the epoch with release. Rings no doorbell.
void store_signals(const std::uint64_t* epoch, std::span<const FlagSignal> signals);

/// Whether all flags have arrived. Throws ProtocolError, DeadlineError or CommunicationError.
[[nodiscard]] bool advance_waits(const FlagWaits& flags, FlagProgress& progress, Duration now);
/// The earliest deadline of the remaining waits.
[[nodiscard]] Duration first_deadline(const FlagWaits& flags, const FlagProgress& progress);

}  // namespace halocline::device::host
