// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "discovery/probe.hpp"
#include "machine/machine_map.hpp"

// The part of discovery that needs no communication: turns reports into a map. Pure, so that tests can supply the
// reports of ranks.
namespace halocline::machine {

/// The reports of the ranks of one node.
struct NodeReport {
  std::string name;
  NodeType type;
  std::vector<std::string> device_uuids;
  struct Rank {
    std::int64_t rank = 0;  ///< in the communicator of all ranks
    std::vector<device_id> devices;
  };
  std::vector<Rank> ranks;           ///< by rank
  std::string fabric;                ///< NvmlGpu::fabric of all its GPUs; empty if they are in none or in several
  std::vector<std::string> sources;  ///< the entries of MachineMap::sources for this node alone
};

/// The devices of one rank, for merge_node.
struct RankDevices {
  std::int64_t rank = 0;
  std::vector<DeviceProbe> devices;
  NvmlReport nvml = {};  ///< empty if the rank has no GPUs
};

/// Orders devices by rank, then by ordinal; a device that several ranks see (same uuid) is listed where it is first
/// seen. Throws InvalidArgument if one rank lists a device twice.
[[nodiscard]] NodeReport merge_node(HostProbe host, std::string name, std::vector<RankDevices> ranks);

/// Orders nodes by their lowest rank. Nodes whose GPUs are in one NVLink fabric share a rack, except virtual nodes of
/// one host, which are meant to behave as if they were far from each other; with virtual_rack these form a rack, too. Equal nodes share a type: their graphs must
/// be the same, except for the names of vertices other than devices and for memory sizes that differ by less than 1/64
/// (kernels reserve different amounts). Throws InvalidArgument if a rank from 0 to size - 1 is in no node or in two.
[[nodiscard]] MachineMap merge_nodes(std::vector<NodeReport> nodes, std::int64_t size, bool virtual_rack = false);

}  // namespace halocline::machine
