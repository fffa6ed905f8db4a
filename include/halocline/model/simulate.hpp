#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/machine/interconnect.hpp"
#include "halocline/partition/halo.hpp"
#include "halocline/placement/placement.hpp"
#include "halocline/routing/routing.hpp"

// How long messages take that share the links of a machine, simulated as flows (docs/decisions/0023).
namespace halocline::model {

/// Something besides channels that flows share: what one rank's MPI copies, or injects into the network.
struct SharedResource {
  std::string name;      ///< for people
  double bandwidth = 0;  ///< bytes a second
};

/// Bytes on their way from one place to another, over Interconnect's route.
struct Flow {
  machine::Place from;
  machine::Place to;
  std::int64_t bytes = 0;
  double latency = 0;            ///< seconds, besides those of the route; passes before the first byte
  std::vector<int> resources{};  ///< positions in the list of resources that it takes part of
  std::vector<int> after{};      ///< positions in the list of flows that must have ended; else it starts at once
};

/// What one kind of channels carried, or all shared resources.
struct LevelLoad {
  std::string level;        ///< "memory", "inter_package", "pcie", "nvlink", "network", or "rank"
  std::int64_t used = 0;    ///< channels with any bytes
  std::int64_t bytes = 0;   ///< through all of them
  std::string busiest;      ///< the one that would take longest by itself
  double busy_seconds = 0;  ///< its bytes over its bandwidth
};

struct Simulated {
  double seconds = 0;             ///< when the last flow ended
  std::vector<double> ends;       ///< of each flow
  std::vector<LevelLoad> levels;  ///< those with any bytes; the one with the most busy seconds first
};

/// What computes the shares of flows.
enum class Solver : int {
  max_min,  ///< Halocline's own: always there
  simgrid   ///< SimGrid, in a process of its own: slower, to compare with
};
inline constexpr std::array all_solvers{Solver::max_min, Solver::simgrid};
/// "max_min", "simgrid"
[[nodiscard]] std::string_view to_string(Solver solver);
/// Whether the solver is there.
[[nodiscard]] bool has_solver(Solver solver);

/// All flows that pass a channel or have a resource share its bandwidth max-min fairly, at each moment. Latency passes without
/// bandwidth. Ends differ by rounding alone where flows are listed in another order. Throws InvalidArgument for a flow
/// that does not fit the machine, names a flow or resource that is not there, or waits for itself; CapabilityError where
/// has_solver() is false; ResourceError where SimGrid's process cannot be started.
[[nodiscard]] Simulated simulate(const machine::Interconnect& interconnect, std::span<const SharedResource> resources,
                                 std::span<const Flow> flows, Solver solver = Solver::max_min);

/// One exchange of all fields; every rank starts at time 0, and routes give the messages: their order decides the order of
/// what is serialised. Stages of a message follow each other:
/// - self: within the memory of the device, read and written
/// - direct: device to device
/// - peer_copy, ipc_copy: packed, device to device, unpacked
/// - mpi_device: the same, over MPI
/// - mpi_staged: packed, to the host's memory near the device, over MPI to that near the other device, to it, unpacked
/// Host memory is the NUMA node with the widest path to the device, or a package where the map has none. The map's `software`
/// says what MPI limits: what mpi_staged copies within a node, and what both send to others.
/// `ends` has the messages' ends in the order of the routes. Throws as simulate() does, and InvalidArgument for a route
/// between subdomains without a message.
[[nodiscard]] Simulated simulate_exchange(const partition::Geometry& geometry, const placement::Placement& placement,
                                          std::span<const routing::Route> routes, const machine::MachineMap& map,
                                          Solver solver = Solver::max_min);

}  // namespace halocline::model
