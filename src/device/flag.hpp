// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.hpp"

namespace halocline::device {

/// Two words in device memory by which one stream signals another, on any device or in any process of a
/// load/store domain, that it has reached an epoch. Cache-line sized, so that flags do not share lines.
/// A reader that acquires an epoch reads the token that was released with it: the two are one atomic value of 16 bytes, or
/// the token is written first and read last.
struct alignas(64) Flag {
  std::uint64_t epoch;  ///< increases by one in each exchange; 0 at first
  std::uint64_t token;  ///< a hash of what is exchanged
};
static_assert(sizeof(Flag) == 64);

/// Set in the epoch of a flag if its writer refused the exchange, because the two sides disagree, and wrote no data.
inline constexpr std::uint64_t refused_bit = std::uint64_t{1} << 63;

/// The label, timeout and abort word of a wait. Shared by all waits of one message.
struct WaitGuard {
  /// For the error: "subdomain 3 -> 5 (direct, ready)".
  std::string label;
  /// Counted from the time when the wait becomes the first operation of its stream.
  Duration timeout = std::chrono::seconds(120);
  /// If this word is not 0, the wait fails at once. May be null.
  const std::atomic<std::uint32_t>* abort = nullptr;
};

/// One wait: until flag->epoch >= the epoch. Then the epoch must equal the expected one, and the token must be `token`;
/// otherwise the stream fails with ProtocolError. Before it fails, it sets the refused bit, so that the other
/// side does not wait in vain.
struct FlagWait {
  const Flag* flag = nullptr;
  std::uint64_t token = 0;
  std::shared_ptr<const WaitGuard> guard;
  /// The flag that the other side waits for next: set to epoch | refused_bit if this wait fails with ProtocolError. May be
  /// null.
  Flag* refusal = nullptr;
  /// The flag of odd epochs, if `flag` is that of even ones; null: `flag` is the flag of all.
  const Flag* odd = nullptr;
  [[nodiscard]] const Flag& of(std::uint64_t at) const { return odd != nullptr && at % 2 == 1 ? *odd : *flag; }
};

/// Flags that have arrived, as headers of what is unpacked: the operation that copies also compares them, as a FlagWait does, and does
/// not wait for the result.
struct HeaderCheck {
  const std::uint64_t* epoch = nullptr;  ///< as of Stream::wait()
  std::vector<FlagWait> headers{};
  Flag* done = nullptr;  ///< signalled when they were compared; may be null
};

/// One signal: the flag's token and epoch, released at system scope.
struct FlagSignal {
  Flag* flag = nullptr;
  std::uint64_t token = 0;
  Flag* odd = nullptr;  ///< as FlagWait::odd
  [[nodiscard]] Flag& of(std::uint64_t at) const { return odd != nullptr && at % 2 == 1 ? *odd : *flag; }
};

/// Flags as headers of what is packed: the operation that copies also signals them.
struct HeaderWrite {
  std::uint64_t* epoch = nullptr;  ///< as of Stream::signal(), or, with `advance`, of Stream::advance()
  bool advance = false;
  std::vector<FlagSignal> headers{};
};

/// A condition on a counter in device memory: *counter % modulus == remainder when the operation runs.
struct CounterCheck {
  const std::uint64_t* counter = nullptr;
  std::uint64_t modulus = 1;  ///< above 0
  std::uint64_t remainder = 0;
  /// For the error: what a violation of the condition means.
  std::string otherwise;
};

}  // namespace halocline::device
