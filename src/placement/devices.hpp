// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace halocline::placement {

/// Determines which of the devices that it sees each rank of a machine drives.
///
/// seen[rank]: the UUIDs that the rank sees, in its own order. Returns for each rank the positions in that list,
/// ascending. per_rank: how many devices each rank drives; if unset, all devices are driven.
///
/// If several ranks see the same devices, and no other rank sees these, the ranks take the devices in blocks, in the
/// order of the first of these ranks: rank r of R takes the devices from r V / R to (r + 1) V / R of V (or per_rank
/// each). If there are more ranks than devices, it takes device r V / R together with other ranks. If the sets of
/// devices overlap in part, or are disjoint, each rank first gets as many devices as the rank with the fewest can have;
/// then the ranks that can have more get more. A device is shared only if a rank would otherwise have none, and by as
/// few ranks as possible; no device that could be used instead stays idle.
///
/// Returns the same on every rank. Throws InvalidArgument if a rank sees no device or the same one twice, or if there
/// are not per_rank devices for each rank (1 may be shared).
[[nodiscard]] std::vector<std::vector<int>> share_devices(std::span<const std::vector<std::string>> seen,
                                                          std::optional<int> per_rank);

}  // namespace halocline::placement
