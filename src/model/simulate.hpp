// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halocline/routing.hpp"
#include "machine/interconnect.hpp"
#include "partition/halo.hpp"
#include "placement/placement.hpp"

// The time of messages that share the links of a machine, simulated as flows (docs/decisions/0023).
namespace halocline::model {

/// A resource other than a channel that flows share: a rank's copies for MPI, its injection into the network, or its core's time.
struct SharedResource {
  std::string name;            ///< for people
  double bandwidth = 0;        ///< bytes a second, or another unit that flows use
  std::string level = "rank";  ///< the LevelLoad that counts it
};

/// Bytes from one place to another over Interconnect's route; or work that uses resources only.
struct Flow {
  machine::Place from;
  machine::Place to;
  std::int64_t bytes = 0;
  double latency = 0;            ///< seconds before the first byte, in addition to the route's
  std::vector<int> resources{};  ///< positions in the list of the resources that it uses
  std::vector<int>
      after{};  ///< positions in the list of the flows that must end before it starts; empty: it starts at once
  /// Units of each of `resources` for a byte; empty: 1 of each. If a resource is listed twice, the larger value counts.
  std::vector<double> weights{};
  bool work = false;  ///< `bytes` are units of the resources; the flow goes nowhere, and no level counts them as bytes
};

/// What one kind of channels carried, or one kind of shared resources.
struct LevelLoad {
  std::string level;  ///< "memory", "inter_package", "pcie", "nvlink", "network", or that of resources ("rank", "core")
  std::int64_t used = 0;    ///< channels with any bytes or work
  std::int64_t bytes = 0;   ///< through all of them
  std::string busiest;      ///< the one that would take longest alone
  double busy_seconds = 0;  ///< units used by all flows, divided by its bandwidth
};

struct Simulated {
  double seconds = 0;             ///< when the last flow ended
  std::vector<double> ends;       ///< of each flow
  std::vector<LevelLoad> levels;  ///< those with any bytes or work; the one with the most busy seconds first
};

/// All flows that pass a channel or have a resource share its bandwidth at each moment, so that their rates are max-min fair: of a
/// resource a flow takes its rate times its weight. Latency passes without bandwidth. Ends differ by rounding alone where flows are listed in another order. Throws InvalidArgument for a flow
/// that does not fit the machine, names a flow or resource that is not there, or waits for itself.
[[nodiscard]] Simulated simulate(const machine::Interconnect& interconnect, std::span<const SharedResource> resources,
                                 std::span<const Flow> flows);

/// The map with measured rates in place of nominal ones; unchanged without measurements.
/// - A link is as fast as the fastest of the methods `copy` and `pinned` across it, both ways at once where that was measured; a link
///   to the host's memory that several devices use, as fast as their `pinned` copies all at once, but not above its nominal rate.
/// - Values that `software` does not set: mpi_copy is twice the median rate of `mpi_host` both ways at once, mpi_latency its median latency;
///   device_launch is the time of one of a series of small copies, the median latency of `copy` within a device.
/// Rates of the network are the map's, which measure() sets.
[[nodiscard]] machine::MachineMap as_measured(machine::MachineMap map);

/// One exchange of all fields; every rank starts at time 0, and routes give the messages: their order decides the order of
/// what is serialised. Stages of a message follow each other:
/// - self: within the memory of the device, read and written
/// - direct: device to device
/// - both of these within a node whose map has exchange rates: with the time that their rows take of a device's kernels, sending,
///   receiving and within it, as model/predict.hpp has them; and an exchange takes the least time that was measured
/// - peer_copy, ipc_copy: packed, device to device, unpacked
/// - mpi_device: the same, over MPI
/// - mpi_staged: packed, to the host's memory near the device, over MPI to that near the other device, to it, unpacked
/// With messages by direction, transports that move messages one by one send one for each direction. By rank or by node, messages of
/// mpi_staged from one rank or node to another are packed one by one, are sent as one, and are unpacked one by one.
/// Host memory is the NUMA node with the widest path to the device, or a package where the map has none. The map's `software`
/// has the limits of MPI: copies of mpi_staged within a node, what both send to other nodes, and time of a rank's core; where a node
/// has more ranks than cores, they share these.
/// `ends` has the messages' ends in the order of the routes. Throws as simulate() does, and InvalidArgument for a route
/// between subdomains without a message.
[[nodiscard]] Simulated simulate_exchange(const partition::Geometry& geometry, const placement::Placement& placement,
                                          std::span<const routing::Route> routes, const machine::MachineMap& map,
                                          routing::Messages messages = routing::Messages::by_neighbour);
/// The same for callers that simulate many exchanges on one map. interconnect: of the map.
[[nodiscard]] Simulated simulate_exchange(const partition::Geometry& geometry, const placement::Placement& placement,
                                          std::span<const routing::Route> routes, const machine::MachineMap& map,
                                          const machine::Interconnect& interconnect,
                                          routing::Messages messages = routing::Messages::by_neighbour);

}  // namespace halocline::model
