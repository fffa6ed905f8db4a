// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/flag.hpp"

// What kernels and the host tell each other about failures, and what flag kernels are told. Plain values, laid out
// alike for both compilers.
namespace halocline::device::cuda {

enum class FailureCause : std::uint32_t { late = 1, aborted, refused, disagreement, counter };

/// In pinned host memory. Written by one kernel, once: `published` last, released at system scope.
struct FailureRecord {
  std::uint32_t published = 0;
  FailureCause cause{};
  std::uint32_t label = 0;
  std::uint32_t unused = 0;
  std::uint64_t expected = 0;        ///< epoch; for a counter its modulus
  std::uint64_t expected_token = 0;  ///< for a counter the remainder
  std::uint64_t found = 0;           ///< epoch, or count
  std::uint64_t found_token = 0;
  std::uint64_t waited_ns = 0;
};

/// Of each device: what its kernels report, and, told by `published` alone, that a function of the host has failed.
struct FailureRecords {
  FailureRecord kernels;
  FailureRecord host;
};

/// Devices of a process that stop each other.
inline constexpr std::size_t most_devices = 64;

/// In device memory, one a device. CUDA cannot take back work that was enqueued, so every kernel of the backend first
/// looks at `stop` of its own device, and does nothing where it is set.
///
/// The kernel that fails claims the record, writes and publishes it, and only then sets `stop`, here and on the devices
/// that it reaches: whoever sees a kernel that did nothing finds the record, too. Devices that are out of reach are
/// stopped by the host, or by launch_follow() behind a wait for an event of the failed device.
struct Board {
  std::uint32_t stop = 0;
  std::uint32_t claimed = 0;
  FailureRecord* record = nullptr;
  std::uint32_t others = 0;
  std::uint32_t unused = 0;
  std::array<std::uint32_t*, most_devices> other_stops{};
};

struct WaitEntry {
  const Flag* flag = nullptr;
  Flag* refusal = nullptr;
  const std::uint32_t* abort = nullptr;
  std::uint64_t token = 0;
  std::uint64_t timeout_ns = 0;
  std::uint32_t label = 0;
};

struct CheckEntry {
  const std::uint64_t* counter = nullptr;
  std::uint64_t modulus = 1;
  std::uint64_t remainder = 0;
  std::uint32_t label = 0;
};

/// Entries of a kernel are its parameters, of which there may be 4 KiB; longer lists become several kernels.
template <typename Entry, std::size_t Most>
struct Batch {
  static constexpr std::size_t most = Most;
  Board* board = nullptr;
  std::uint32_t count = 0;
  std::array<Entry, Most> entries{};
};
using WaitBatch = Batch<WaitEntry, 64>;
using SignalBatch = Batch<FlagSignal, 128>;
using CheckBatch = Batch<CheckEntry, 64>;
static_assert(sizeof(WaitBatch) <= 4000 && sizeof(SignalBatch) <= 4000 && sizeof(CheckBatch) <= 4000);

}  // namespace halocline::device::cuda
