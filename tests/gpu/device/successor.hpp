// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::device::test {

/// What a kernel behind an exchange did, in pinned memory.
struct Successor {
  std::uint32_t started = 0;
  std::uint64_t read = 0;  ///< after the end of the exchange
};

/// A kernel that is loaded at its first launch may have to wait for what runs, such as an exchange.
void load_successor();
/// Enqueues on a cudaStream_t a kernel that may start before the kernel in front of it has ended (programmatic dependent launch). It
/// notes that it has started, waits for that end, and reads the word.
void launch_successor(void* stream, Successor* successor, const std::uint64_t* word);

}  // namespace halocline::device::test
