// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace halocline::placement {

/// Which of the devices that it sees each rank of a machine drives.
///
/// seen[rank]: the UUIDs that the rank sees, in its own order; returns for each rank the positions in that list,
/// ascending. per_rank: how many each rank is to drive; unset, all devices are driven.
///
/// Ranks that all see the same devices, which no other rank sees, take them in the order of the first of these ranks,
/// in blocks: rank r of R the devices from r V / R to (r + 1) V / R of V (or per_rank each), or, where there are more
/// ranks than devices, device r V / R together with other ranks. Where sets overlap in part, or lie apart, each rank
/// gets as many as the one with the fewest can have, then those more that can have more; a device is shared only where
/// a rank would else have none, by as few ranks as possible, and no device that could be taken instead stays idle.
///
/// The same answer on every rank. Throws InvalidArgument where a rank sees nothing or one device twice, and where
/// per_rank devices are not there for each rank (1 may be shared).
[[nodiscard]] std::vector<std::vector<int>> share_devices(std::span<const std::vector<std::string>> seen,
                                                          std::optional<int> per_rank);

}  // namespace halocline::placement
