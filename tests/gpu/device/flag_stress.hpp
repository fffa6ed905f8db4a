// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/flag.hpp"

namespace halocline::device::test {

/// Counters of the reader, in device memory.
struct FlagReadings {
  std::uint64_t seen;  ///< different epochs
  std::uint64_t torn;  ///< readings with another epoch's token
};

/// Enqueues on a cudaStream_t: releases the flag with the epochs 1 to last, each with a different token.
void write_flags(void* stream, Flag* flag, std::uint64_t last);
/// Enqueues: reads the flag until the last epoch, alternately by polls and by acquiring loads.
void read_flags(void* stream, const Flag* flag, std::uint64_t last, FlagReadings* readings);

}  // namespace halocline::device::test
