// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"
#include "machine/machine_map.hpp"

namespace halocline {

struct CalibrateRequest {
  /// Approximate bytes that each device moves in the largest exchanges; at least 1024; 0: 16 MiB for GPUs, 1 MiB for
  /// host devices.
  std::int64_t bytes = 0;
  /// Runs of exchanges, 1 or more; the median is used.
  int repeats = 5;
  /// Seconds from the start, above 0, after which no further kind of exchange is begun.
  double seconds = 45;
};

/// Times real exchanges on the machine that `map` describes (as returned by discover()). Returns the map with exchange
/// rates for each type of node (the medians of its nodes); its `sources` contain what could not be measured. Each node
/// measures separately, with all of its devices at work. Collective over comm; node_comm contains the ranks of this
/// rank's node, as for discover(). Nothing else may use the devices meanwhile. If one rank fails, throws the same error
/// on all ranks; an exchange that cannot be set up is not a failure.
[[nodiscard]] machine::MachineMap calibrate(comm::RankGroup& comm, comm::RankGroup& node_comm,
                                            std::shared_ptr<device::Backend> backend, const machine::MachineMap& map,
                                            const CalibrateRequest& request);

}  // namespace halocline
