// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/event_ring.hpp"

namespace halocline::exchange {

/// What one exchange of a domain contributes to a recording.
class RecordedState {
 public:
  virtual ~RecordedState() = default;
  /// Called by any thread, also while the exchange runs, or hangs. Limited in time. failed: an exchange of this rank has just failed.
  [[nodiscard]] virtual RecordedExchange recorded(bool failed) = 0;
  /// Whether another rank of the node has failed or left.
  [[nodiscard]] virtual bool aborted() const = 0;
};

/// The flight recorder of a domain on this rank: its last events, and, when asked, what its exchanges wait for. Events are always
/// noted; a recording is made only on an error if there is a writer, or on demand.
///
/// One thread of the rank notes events (more may); recording() may be called by another thread at the same time.
class Recorder {
 public:
  Recorder(std::int64_t rank, std::int64_t ranks) : rank_(rank), ranks_(ranks) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// message, peer: -1 for none.
  void note(EventKind kind, std::uint8_t exchange = 0, std::uint64_t number = 0, std::int64_t message = -1,
            std::int64_t peer = -1) noexcept {
    ring_.note({Clock::steady().now(), kind, exchange, number, static_cast<std::int32_t>(message),
                static_cast<std::int32_t>(peer)});
  }

  /// Recordings are written by write(cause), which must not throw. To be set before exchanges are made. With a writer, exchanges
  /// prepare to read the flags of devices.
  void set_writer(std::function<void(RecordingCause)> write) { write_ = std::move(write); }
  [[nodiscard]] bool has_writer() const { return write_ != nullptr; }

  /// An exchange is a part of recordings from add() to remove(). Returns its place among the domain's exchanges: all ranks add them
  /// in the same order. remove() waits for a recording that is being made.
  std::uint8_t add(RecordedState& exchange);
  void remove(const RecordedState& exchange) noexcept;

  /// An exchange has failed on this rank. Writes a recording, the first time. of_another: the error reports another rank's.
  void failed(const std::exception_ptr& error, bool of_another, std::uint8_t exchange, std::uint64_t number) noexcept;
  /// This rank's domain is abandoned while others may still use it. Likewise.
  void left(std::string_view why, std::uint8_t exchange, std::uint64_t number) noexcept;
  /// Writes a recording if another rank of the node has failed or left, and none was written because of an error.
  void look_at_others() noexcept;

  [[nodiscard]] Recording recording(RecordingCause cause);

 private:
  void write_once(RecordingCause cause) noexcept;

  EventRing ring_;
  std::int64_t rank_;
  std::int64_t ranks_;
  std::function<void(RecordingCause)> write_;
  std::mutex mutex_;                       ///< of what follows
  std::vector<RecordedState*> exchanges_;  ///< null: removed
  std::string error_;
  std::optional<ErrorKind> kind_;
  bool error_of_another_ = false;
  bool written_ = false;  ///< because of an error
};

}  // namespace halocline::exchange
