// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "discovery/probe.hpp"
#include "halocline/machine_map.hpp"

// The part of discovery that needs no communication: reports in, map out. Pure, so that a test can stand in for
// ranks.
namespace halocline::machine {

/// What the ranks of one node have said.
struct NodeReport {
  std::string name;
  NodeType type;
  std::vector<std::string> device_uuids;
  struct Rank {
    std::int64_t rank = 0;  ///< in the communicator of all
    std::vector<device_id> devices;
  };
  std::vector<Rank> ranks;  ///< by rank
  std::string fabric;       ///< as NvmlGpu::fabric, of all its GPUs; empty where they are in none, or in several
  std::vector<std::string> sources;  ///< what MachineMap::sources says of this node alone
};

/// One rank's devices, for merge_node.
struct RankDevices {
  std::int64_t rank = 0;
  std::vector<DeviceProbe> devices;
  NvmlReport nvml = {};  ///< empty where it has no GPUs
};

/// Devices in the order of ranks, then ordinals; one that several ranks see (same uuid) stands where it is
/// first seen. Throws InvalidArgument where one rank lists a device twice.
[[nodiscard]] NodeReport merge_node(HostProbe host, std::string name, std::vector<RankDevices> ranks);

/// Nodes in the order of their lowest rank. Nodes whose GPUs are in one NVLink fabric share a rack, but for virtual
/// nodes of one host, which are to behave as if they were far from each other.
/// Nodes that are alike share a type: the same graph, but for names of
/// anything but devices and memory sizes that differ by less than 1/64 (kernels reserve different amounts).
/// Throws InvalidArgument where a rank from 0 to size - 1 is in no node or in two.
[[nodiscard]] MachineMap merge_nodes(std::vector<NodeReport> nodes, std::int64_t size);

}  // namespace halocline::machine
