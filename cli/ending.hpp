// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "comm/rank_group.hpp"

namespace cli {

/// The exit codes: 0 done; 1 it failed, or a check did; 2 the arguments, or the files that they name, are wrong: what
/// "allowed is ..." answers.
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;

[[nodiscard]] int exit_code_of(const std::exception_ptr& error) noexcept;
/// The error's message; of what is no Halocline error, too.
[[nodiscard]] std::string message_of(const std::exception_ptr& error);

/// How a command ended on this rank: with an exit code, or an error.
struct Ended {
  int code = 0;
  std::exception_ptr error;
};

/// How it ended on all ranks.
struct Ending {
  int code = 0;
  std::vector<std::string> errors;  ///< for this rank to print, a line each
  bool agreed = true;               ///< all ranks have come to the end
  bool abandon = false;             ///< a rank may wait for others for ever: the job is to be ended, not left
};

/// All ranks' errors as the lines to print, each once, and with "rank N: " unless it is all ranks' own.
/// messages: by rank; empty: no error. A message that was agreed on begins with the rank that it is from.
[[nodiscard]] std::vector<std::string> lines_of(const std::vector<std::string>& messages);

/// Brings the ranks' outcomes together, over a group of all ranks that nothing else uses. A rank that failed waits for
/// `patience`, as the others may wait for it elsewhere; the others wait for the group's timeout. Where all ranks come, rank 0
/// gets all errors to print; a rank that is left alone gets its own. So no error is lost, whichever rank has it.
[[nodiscard]] Ending end_together(halocline::comm::RankGroup& group, const Ended& mine, halocline::Duration patience);

}  // namespace cli
