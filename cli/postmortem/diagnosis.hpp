// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/recording.hpp"
#include "postmortem/state.hpp"

/// From the recordings of a domain's ranks: who waits for whom, and for what everybody waits in the end.
namespace cli::postmortem {

/// One rank waits for another, in the exchange of that number.
struct Wait {
  std::int64_t rank = 0;
  std::int64_t peer = 0;
  std::string exchange{};  ///< RecordedExchange::name
  std::uint64_t number = 0;
  halocline::RecordedMessage message{};
};

/// What other ranks wait for, directly or by others, and that waits for nobody.
enum class RootKind {
  failed,         ///< a rank's exchange has failed, by no deadline and because of no other rank
  left,           ///< a rank left without close()
  no_recording,   ///< a rank wrote nothing: it was killed or stopped
  not_started,    ///< a rank has not started the exchange
  device_behind,  ///< a rank's host has enqueued the exchange, and its device has not begun it
  not_finished,  ///< a rank has started the exchange, does not finish it, and so makes no progress with its messages by MPI
  lost_message,  ///< a rank waits for nobody in the exchange, and its message has not arrived
  cycle,         ///< ranks wait for each other
  not_set_up,    ///< a rank is behind the others in the set-up
  not_closed,    ///< a rank has not called close()
  behind         ///< no rank waits in an exchange; a rank has finished fewer than others
};
[[nodiscard]] std::string_view to_string(RootKind kind);

struct Root {
  RootKind kind = RootKind::not_started;
  std::vector<std::int64_t> ranks{};  ///< one, except of a cycle
  std::string exchange{};             ///< empty if the root is in no exchange
  std::uint64_t number = 0;
  std::vector<std::int64_t> waiting{};  ///< ranks that wait for it, directly or by others
  std::vector<Wait> waits{};            ///< the direct ones, in that exchange
};

struct Diagnosis {
  std::int64_t domain = 0;
  std::int64_t ranks = 0;
  std::vector<State> states{};          ///< of the ranks with a recording
  std::int64_t missing = 0;             ///< ranks without
  std::vector<std::int64_t> without{};  ///< the first of these
  std::vector<Root> roots{};
  std::vector<Wait> waits{};  ///< all
};
inline constexpr std::int64_t most_named_without = 64;

/// Of one domain. Throws InvalidArgument if two recordings are of one rank, or their numbers of ranks differ.
[[nodiscard]] Diagnosis diagnose(const std::vector<halocline::Recording>& recordings);

}  // namespace cli::postmortem
