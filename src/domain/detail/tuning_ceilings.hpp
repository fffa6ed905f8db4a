// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"

namespace halocline {

/// Collective: what bounds any exchange of this run, measured within some 20 ms with all ranks at once: bytes a second that are copied
/// within a device's memory, and that a rank sends the next one. The slowest rank's.
[[nodiscard]] std::map<std::string, double> tuning_ceilings(comm::RankGroup& comm, device::Backend& backend);

}  // namespace halocline
