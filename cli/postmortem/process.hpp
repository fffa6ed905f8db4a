// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/recording.hpp"

namespace cli::postmortem {

/// Makes a process of this node write the recordings of its domains, waits until they are written, and returns them with their
/// paths. Throws InvalidArgument if there is no such process, or it has no recorder; DeadlineError if it does not write them.
[[nodiscard]] std::vector<std::pair<std::string, halocline::Recording>> recordings_of_process(std::int64_t pid);

}  // namespace cli::postmortem
