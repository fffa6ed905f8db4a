// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/recording.hpp"

namespace cli::postmortem {

/// Where a rank was when its recording was written.
struct State {
  std::int64_t rank = 0;
  std::string where{};    ///< "in finish() of exchange 4"
  bool own_code = false;  ///< in the program, not in Halocline
  double seconds = 0;     ///< since then
  std::string last{};     ///< event: "exchange 3 finished"
  std::string error{};
  std::string unread{};  ///< why flags of its devices could not be read
};
[[nodiscard]] State state_of(const halocline::Recording& recording);

/// The last event that shows where the rank is: messages are completed in several places, and errors leave it where it was.
[[nodiscard]] std::optional<halocline::RecordedEvent> last_place(const halocline::Recording& recording);

/// How far the rank is in the life of its domain, which all ranks pass in this order: the phases of set-up are 0 to 2, exchanges 3, close()
/// 4 and 5.
[[nodiscard]] int phase_of(const halocline::Recording& recording);
inline constexpr int phase_of_exchanges = 3;

/// RecordedExchange::name of one of the domain's exchanges.
[[nodiscard]] std::string exchange_name(const halocline::Recording& recording, std::uint8_t exchange);

}  // namespace cli::postmortem
