// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/environment.hpp"
#include "halocline/error.hpp"

namespace halocline {

/// What a rank did, or what happened to it.
enum class EventKind : std::uint8_t {
  planning,       ///< set-up: the plan is made, by all ranks
  allocating,     ///< set-up: arrays are allocated
  connecting,     ///< set-up: ranks exchange addresses
  realized,       ///< realize() has returned
  started,        ///< an exchange begins
  enqueued,       ///< its start has returned
  waiting,        ///< its finish was called
  done,           ///< the host has completed its part of a message
  finished,       ///< its finish has returned
  synchronizing,  ///< synchronize() was called
  synchronized,   ///< and has returned
  failed,         ///< an error has ended the exchange on this rank
  aborted,        ///< an exchange has ended because another rank failed or left
  left,           ///< the domain was abandoned without an agreement of all ranks
  closing,        ///< close() was called
  closed          ///< and has returned
};
inline constexpr std::array all_event_kinds{
    EventKind::planning, EventKind::allocating,    EventKind::connecting,   EventKind::realized,
    EventKind::started,  EventKind::enqueued,      EventKind::waiting,      EventKind::done,
    EventKind::finished, EventKind::synchronizing, EventKind::synchronized, EventKind::failed,
    EventKind::aborted,  EventKind::left,          EventKind::closing,      EventKind::closed};
/// "planning", ...
[[nodiscard]] std::string_view to_string(EventKind kind);

/// Absent numbers are -1.
struct RecordedEvent {
  Duration time{};  ///< of Clock::steady()
  EventKind kind = EventKind::planning;
  std::uint8_t exchange = 0;  ///< which of the domain's exchanges: its place in Recording::exchanges
  std::uint64_t number = 0;   ///< of the exchange: the first is 1
  std::int32_t message = -1;  ///< Channel::number
  std::int32_t peer = -1;     ///< rank at the message's other end
  friend bool operator==(const RecordedEvent&, const RecordedEvent&) = default;
};

/// One end of a message, on the rank that recorded it.
struct RecordedMessage {
  std::int64_t from = 0;  ///< subdomains
  std::int64_t to = 0;
  std::int64_t peer = 0;  ///< rank at the other end
  bool sends = false;     ///< this end does
  std::string transport{};
  std::string towards{};  ///< "(+1, +0, +0)" if a message has one direction only; else empty
  /// The host drives this end; otherwise devices do, and the host sees no message.
  bool by_host = false;
  /// The latest exchange in which what this end waits for has happened: the host's part is complete; or, read from the memory of the
  /// device, the receiver is ready (sends), or a part of the message has arrived.
  std::uint64_t reached = 0;
  friend bool operator==(const RecordedMessage&, const RecordedMessage&) = default;
};

/// One of the exchanges of a domain: what Domain::exchange() runs, or Domain::accumulate(), or the same after a rebalance.
struct RecordedExchange {
  std::string name{};          ///< "exchange", "accumulate"
  std::uint64_t started = 0;   ///< by the host
  std::uint64_t finished = 0;  ///< by the host
  std::uint64_t epoch =
      0;  ///< of the devices: the least of those of this rank's subdomains; also counts exchanges of graphs
  std::string unread{};  ///< why the flags of the devices could not be read; empty if they were
  std::vector<RecordedMessage> messages{};
  std::int64_t messages_left_out = 0;
  friend bool operator==(const RecordedExchange&, const RecordedExchange&) = default;
};

/// Why a recording was written.
enum class RecordingCause : std::uint8_t {
  error,       ///< this rank's exchange has failed
  other_rank,  ///< another rank of the node has failed or left
  request      ///< of another process
};
inline constexpr std::array all_recording_causes{RecordingCause::error, RecordingCause::other_rank,
                                                 RecordingCause::request};
[[nodiscard]] std::string_view to_string(RecordingCause cause);

/// What a rank leaves of a domain for a postmortem.
struct Recording {
  std::int64_t rank = 0;    ///< of the domain's communicator
  std::int64_t ranks = 1;   ///< its size
  std::int64_t domain = 0;  ///< the how-manyeth of this rank's domains
  std::int64_t pid = 0;
  std::string host{};
  RecordingCause cause = RecordingCause::request;
  std::string error{};              ///< of the exchange, if it has failed
  std::optional<ErrorKind> kind{};  ///< of that error
  bool error_of_another = false;    ///< it reports that another rank has failed or left
  Duration time{};                  ///< of writing, by Clock::steady()
  std::int64_t unix_time = 0;       ///< the same in seconds since 1970
  std::uint64_t events_before = 0;  ///< that the ring no longer holds
  std::vector<RecordedEvent> events{};
  std::vector<RecordedExchange> exchanges{};
  friend bool operator==(const Recording&, const Recording&) = default;
};

}  // namespace halocline
