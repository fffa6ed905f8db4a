// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "comm/rank_group.hpp"
#include "domain/detail/snapshot.hpp"
#include "placement/placement.hpp"

namespace halocline {

/// Who has which cells.
struct Owners {
  const partition::Geometry* geometry;
  const placement::Placement* placement;
};

/// Collective: fills the one item of a snapshot of a new partition, with_halos(), from an item of the snapshots before it, of all ranks,
/// with_open_ends(): each pair of ranks sends one message with the cells that the two have in common, halos included. These become what an
/// exchange makes them; beyond open ends they are what the subdomain next to them had.
void move_cells(comm::RankGroup& comm, const Snapshot& from, const Owners& before, std::size_t item, const Snapshot& to,
                const Owners& after);

}  // namespace halocline
