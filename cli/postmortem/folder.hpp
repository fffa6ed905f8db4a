// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/recording.hpp"

namespace cli::postmortem {

/// The recordings in a folder, by domain. Throws InvalidArgument for a folder that cannot be read or has none, for a file that is
/// no recording or is named as another one, and if a rank has files of two processes, as of two jobs.
[[nodiscard]] std::map<std::int64_t, std::vector<halocline::Recording>> recordings_in(const std::string& folder);

/// One file. Throws InvalidArgument.
[[nodiscard]] halocline::Recording read_recording(const std::string& path);

}  // namespace cli::postmortem
