// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/backend.hpp"
#include "halocline/communicator.hpp"
#include "halocline/machine_map.hpp"

// What is measured. A pair is ordered: from -> to.
//
// | method           | ends           | who moves the bytes                                                   |
// |------------------|----------------|-----------------------------------------------------------------------|
// | copy             | device, device | a copy in a stream of `from`: copy engine, or staged by the driver    |
// | copy_no_peer     | device, device | the same with peer access switched off                                |
// | put              | device, device | a kernel of `from` that stores to `to`, 16 bytes a lane               |
// | get              | device, device | a kernel of `to` that loads from `from`, 16 bytes a lane              |
// | staged           | device, device | two copies, through pinned memory of the one process that drives both |
// | flag             | device, device | a word that one device writes and the other sees: latency only        |
// | mpi_host         | device, device | a message between pinned memory of the two ranks that drive them      |
// | mpi_device       | device, device | a message between device pointers                                     |
// | mpi_staged       | device, device | copy to pinned memory, message, copy to the device                    |
// | pinned           | host, device   | a copy between pinned memory (by NUMA node) and the device            |
// | mapped           | host, device   | a kernel of the device that loads or stores pinned memory             |
// | pageable         | host, device   | a copy from or to memory as malloc gives it                           |
// | managed_demand   | host, device   | managed memory that the reader's page faults bring                    |
// | managed_prefetch | host, device   | managed memory that is prefetched                                     |
namespace halocline::machine {

struct MeasureRequest {
  /// Of the messages that bandwidth is measured with, at least 1024; 0: 64 MiB for GPUs, 4 MiB for host devices. MPI
  /// messages are a quarter of it; managed memory is never more than 16 MiB.
  std::int64_t bytes = 0;
  /// Each is measured this often after one that is not counted, 1 or more; the median counts.
  int repeats = 5;
  /// Seconds from the start, above 0, after which nothing new is begun; what was not measured is in left_out.
  double seconds = 45;
  /// Whether MPI takes device pointers; mpi_device is measured only where it does. Not given: as the communicator says
  /// of itself, or yes for host devices.
  std::optional<Verdict> device_mpi;
};

/// A method that was not measured for some pairs, and why.
struct LeftOut {
  std::string method;
  std::string reason;
  std::int64_t pairs = 1;
  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

struct Measured {
  MachineMap map;
  std::vector<LeftOut> left_out;
};

/// Measures the machine that `map` describes as discover() gave it, and returns it with measurements for each type of
/// node (the medians of its nodes, entry by entry) and a measured network where there are two nodes. Collective over
/// comm; node_comm holds the ranks of this rank's node, as for discover(). Nothing else may use the devices meanwhile:
/// pairs are measured one after the other. Throws the same error on all ranks where one fails; what a pair cannot do is
/// no failure. Throws InvalidArgument where the map is of other ranks or devices.
[[nodiscard]] Measured measure(comm::Communicator& comm, comm::Communicator& node_comm, device::Backend& backend,
                               const MachineMap& map, const MeasureRequest& request);

}  // namespace halocline::machine
