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
  std::uint64_t epoch = 0;  ///< what *epoch was when it began
  Duration since{};         ///< when it began
  std::size_t next = 0;     ///< the waits before this one are over, and their tokens were right
};

/// Throws ProtocolError where the condition does not hold now.
void require(const CounterCheck& check);

/// Token first, epoch with release; rings nobody.
void store_signals(const std::uint64_t* epoch, std::span<const FlagSignal> signals);

/// Whether all flags are there. Throws ProtocolError, DeadlineError or CommunicationError.
[[nodiscard]] bool advance_waits(const FlagWaits& flags, FlagProgress& progress, Duration now);
/// When the first of the waits that are left will be late.
[[nodiscard]] Duration first_deadline(const FlagWaits& flags, const FlagProgress& progress);

}  // namespace halocline::device::host
