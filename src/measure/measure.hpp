// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"
#include "machine/infer_network.hpp"
#include "machine/machine_map.hpp"

// What is measured. A pair is ordered: from -> to.
//
// | method           | ends           | how the bytes are copied                                              |
// |------------------|----------------|-----------------------------------------------------------------------|
// | copy             | device, device | a copy in a stream of `from`: copy engine, or staged by the driver    |
// | copy_no_peer     | device, device | the same with peer access switched off                                |
// | put              | device, device | a kernel of `from` that stores to `to`, 16 bytes a lane               |
// | get              | device, device | a kernel of `to` that loads from `from`, 16 bytes a lane              |
// | staged           | device, device | two copies, through pinned memory of the one process that drives both |
// | flag             | device, device | a word that one device writes and the other polls: latency only       |
// | mpi_host         | device, device | a message between pinned memory of the two ranks that drive them      |
// | mpi_device       | device, device | a message between device pointers                                     |
// | mpi_staged       | device, device | copy to pinned memory, message, copy to the device                    |
// | pinned           | host, device   | a copy between pinned memory (by NUMA node) and the device            |
// | mapped           | host, device   | a kernel of the device that loads or stores pinned memory             |
// | pageable         | host, device   | a copy from or to memory of malloc()                                  |
// | managed_demand   | any            | managed memory that the reader's page faults bring                    |
// | managed_prefetch | any            | managed memory that is prefetched                                     |
namespace halocline::machine {

struct MeasureRequest {
  /// Bytes of the messages for bandwidth, at least 1024; 0: 64 MiB for GPUs, 4 MiB for host devices. MPI
  /// messages have a quarter of it; managed memory has at most 16 MiB.
  std::int64_t bytes = 0;
  /// Messages of exactly `bytes` by all methods, which is then a multiple of 4, at least 4; for series of sizes. Only messages of all pairs
  /// at once stay smaller, and managed memory has at most 16 MiB. Kernels move multiples of 8 bytes alone.
  bool exact = false;
  /// Repetitions of each measurement after one that is not counted, 1 or more; the result is the median.
  int repeats = 5;
  /// Seconds after which no measurement is begun, above 0; left_out lists what was not measured.
  double seconds = 45;
  /// Whether MPI takes device pointers; mpi_device is measured only if it does. Unset: as the communicator
  /// reports, or yes for host devices.
  std::optional<Verdict> device_mpi;
};

/// A method that was not measured for some pairs, and why.
struct LeftOut {
  std::string method;
  std::string reason;
  std::int64_t pairs = 1;
  bool for_time = false;  ///< the seconds of the request were spent
  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

struct Measured {
  MachineMap map;
  std::vector<LeftOut> left_out;
};

/// Measures the machine of `map`, which discover() made, and returns the map with measurements for each type of
/// node (the medians of its nodes, entry by entry) and a measured network if there are at least two nodes. Collective over
/// comm; node_comm holds the ranks of this rank's node, as for discover(). No other work may use the devices meanwhile.
/// Pairs are measured one after the other. Throws the same error on all ranks if one fails; a method that a pair does not
/// support is no failure. Throws InvalidArgument if the map has other ranks or devices.
[[nodiscard]] Measured measure(comm::RankGroup& comm, comm::RankGroup& node_comm, device::Backend& backend,
                               const MachineMap& map, const MeasureRequest& request);

/// Measures latency and bandwidth between each two nodes of `map`, which discover() made, by messages between host memory of their first ranks, and returns the same
/// on all ranks; a pair's ends are positions in map.nodes. Collective over comm. Of the request, bytes and seconds count: a message for bandwidth has a quarter of
/// bytes, or 1 MiB. Throws InvalidArgument if the map has one node or other ranks, and DeadlineError where the seconds are over before all pairs are measured.
[[nodiscard]] std::vector<PairMeasurement> measure_node_pairs(comm::RankGroup& comm, const MachineMap& map,
                                                              const MeasureRequest& request);

}  // namespace halocline::machine
