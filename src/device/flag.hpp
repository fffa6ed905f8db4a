// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "core/clock.hpp"

namespace halocline::device {

/// Two words in device memory by which one stream tells another, on any device or in any process of a
/// load/store domain, that it got as far as an epoch. Cache-line sized, so that flags do not share lines.
/// A reader that acquires an epoch reads the token that was released with it: the two are one atomic value of 16 bytes, or
/// the token is written first and read last.
struct alignas(64) Flag {
  std::uint64_t epoch;  ///< grows by one an exchange; 0 at first
  std::uint64_t token;  ///< says what the epoch is about
};
static_assert(sizeof(Flag) == 64);

/// In the epoch of a flag: its writer refused, because the two sides disagree, and wrote no data.
inline constexpr std::uint64_t refused_bit = std::uint64_t{1} << 63;

/// Who waits, for what, and how long. Shared by all waits of one message.
struct WaitGuard {
  /// For the error: "subdomain 3 -> 5 (direct, ready)".
  std::string label;
  /// From the moment the wait becomes the first operation of its stream.
  Duration timeout = std::chrono::seconds(120);
  /// Where this word is not 0 the wait fails at once. May be null.
  const std::atomic<std::uint32_t>* abort = nullptr;
};

/// One wait: until flag->epoch >= the epoch; then both must be as expected, or the stream fails with ProtocolError:
/// the epoch exactly the one that is waited for, the token `token`. Before it fails, it refuses, so that the other
/// side does not wait for what will not come.
struct FlagWait {
  const Flag* flag = nullptr;
  std::uint64_t token = 0;
  std::shared_ptr<const WaitGuard> guard;
  /// What the other side waits for next: gets epoch | refused_bit where this wait fails with ProtocolError. May be
  /// null.
  Flag* refusal = nullptr;
};

/// One signal: the flag's token and epoch, released at system scope.
struct FlagSignal {
  Flag* flag = nullptr;
  std::uint64_t token = 0;
};

/// A condition on a counter in device memory: *counter % modulus == remainder when the operation runs.
struct CounterCheck {
  const std::uint64_t* counter = nullptr;
  std::uint64_t modulus = 1;  ///< above 0
  std::uint64_t remainder = 0;
  /// For the error: what it means that the condition does not hold.
  std::string otherwise;
};

}  // namespace halocline::device
