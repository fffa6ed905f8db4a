#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "halocline/core/clock.hpp"

namespace halocline::device {

/// Two words in device memory by which one stream tells another, on any device or in any process of a
/// load/store domain, that it got as far as an epoch. Cache-line sized, so that flags do not share lines.
/// The writer writes the token first, then releases the epoch; the reader acquires the epoch, then reads the token.
struct alignas(64) Flag {
  std::uint64_t epoch;  ///< grows by one an exchange; 0 at first
  std::uint64_t token;  ///< says what the epoch is about
};
static_assert(sizeof(Flag) == 64);

/// Who waits, for what, and how long. Shared by all waits of one message.
struct WaitGuard {
  /// For the error: "subdomain 3 -> 5 (direct, ready)".
  std::string label;
  /// From the moment the wait becomes the first operation of its stream.
  Duration timeout = std::chrono::seconds(120);
  /// Where this word is not 0 the wait fails at once. May be null.
  const std::atomic<std::uint32_t>* abort = nullptr;
};

/// One wait: until flag->epoch >= the epoch; then flag->token must be `token`, or the stream fails with ProtocolError.
struct FlagWait {
  const Flag* flag = nullptr;
  std::uint64_t token = 0;
  std::shared_ptr<const WaitGuard> guard;
};

/// One signal: flag->token = token, then flag->epoch = the epoch, released at system scope.
struct FlagSignal {
  Flag* flag = nullptr;
  std::uint64_t token = 0;
};

}  // namespace halocline::device
