// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "device/backend.hpp"
#include "halocline/communicator.hpp"
#include "halocline/machine_map.hpp"

namespace halocline {

struct CalibrateRequest {
  /// Of the largest exchanges, about, that each device moves; at least 1024; 0: 16 MiB for GPUs, 1 MiB for host devices.
  std::int64_t bytes = 0;
  /// Runs of exchanges, 1 or more; the median counts.
  int repeats = 5;
  /// Seconds from the start, above 0, after which no other kind of exchange is begun.
  double seconds = 45;
};

/// Times real exchanges on the machine that `map` describes as discover() gave it, and returns it with exchange rates for each
/// type of node (the medians of its nodes), whose `sources` say what could not be measured. Each node measures by itself,
/// with all of its devices at work. Collective over comm; node_comm holds the ranks of this rank's node, as for discover();
/// nothing else may use the devices meanwhile. Throws the same error on all ranks where one fails; an exchange that cannot be
/// set up is no failure.
[[nodiscard]] machine::MachineMap calibrate(comm::Communicator& comm, comm::Communicator& node_comm,
                                            std::shared_ptr<device::Backend> backend, const machine::MachineMap& map,
                                            const CalibrateRequest& request);

}  // namespace halocline
