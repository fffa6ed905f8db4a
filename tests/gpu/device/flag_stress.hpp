// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/flag.hpp"

namespace halocline::device::test {

/// What the reader adds up in device memory.
struct FlagReadings {
  std::uint64_t seen;  ///< different epochs
  std::uint64_t torn;  ///< readings whose token is not that of their epoch
};

/// Enqueues on a cudaStream_t: releases the flag with the epochs 1 to last, each with a token of its own.
void write_flags(void* stream, Flag* flag, std::uint64_t last);
/// Enqueues: reads the flag until it is at the last epoch, by polls and by acquiring loads in turn.
void read_flags(void* stream, const Flag* flag, std::uint64_t last, FlagReadings* readings);

}  // namespace halocline::device::test
