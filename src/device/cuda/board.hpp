// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/flag.hpp"

// Failure records shared by kernels and the host, and arguments of flag kernels. Plain values, which both compilers lay out in
// the same way.
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

/// For each device: what its kernels report; and that a host function has failed, for which only `published` is used.
struct FailureRecords {
  FailureRecord kernels;
  FailureRecord host;
};

/// The number of devices of a process that can stop each other.
inline constexpr std::size_t most_devices = 64;

/// In the memory of each device. CUDA cannot cancel work that was enqueued, so every kernel of the backend first reads `stop`
/// of its own device, and does nothing if it is set.
///
/// A kernel that fails claims the record, writes and publishes it, and only then sets `stop`, on its own device and on those
/// that it can reach: if a kernel did nothing, the record is there. Other devices are stopped by the host, or by
/// launch_follow() after a wait for an event of the failed device.
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
  const Flag* odd = nullptr;  ///< FlagWait::odd
};

struct CheckEntry {
  const std::uint64_t* counter = nullptr;
  std::uint64_t modulus = 1;
  std::uint64_t remainder = 0;
  std::uint32_t label = 0;
};

/// Entries are passed as kernel parameters, at most 4 KiB; longer lists become several kernels.
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
