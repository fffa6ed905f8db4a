// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "halocline/box.hpp"
#include "machine/machine_map.hpp"

// Steps on the devices of one node, cut in z alone, by the communication schemes of Sourouri, Gillberg, Baden and Cai, "Effective
// Multi-GPU Communication Using Multiple CUDA Streams and Threads" (ICPADS 2014), simulated as flows: kernels in a device's memory, copies
// and messages over links, and the time of each host thread, in the order in which streams, threads and copy engines take them.
namespace halocline::model {

/// As 'run laplace3d' has them.
enum class SlabScheme : int { baseline, left_right, pairwise, threads, threads_p2p, left_right_mpi, pairwise_mpi };
inline constexpr std::array all_slab_schemes{
    SlabScheme::baseline,    SlabScheme::left_right,     SlabScheme::pairwise,    SlabScheme::threads,
    SlabScheme::threads_p2p, SlabScheme::left_right_mpi, SlabScheme::pairwise_mpi};
[[nodiscard]] std::string_view to_string(SlabScheme scheme);

struct SlabStep {
  Vec3 extent;
  int devices = 2;              ///< the first ones of node 0; extent.z is a multiple of it
  std::int64_t cell_bytes = 8;  ///< of what is exchanged, one plane on either side
  double seconds_per_cell = 0;  ///< of a kernel that has the device for itself
  /// 2: a device copies to and from the host at the same time, one copy in each direction; 1: one copy at a time.
  int copy_engines = 2;
  double synchronise = 0;  ///< seconds from the end of a copy until the host thread that waits for it goes on
};

/// Seconds of a step after many. Launches, messages and MPI's copies take what the map's `software` has: device_launch, mpi_latency,
/// mpi_overhead, mpi_copy. Kernels that run at the same time on a device share its memory evenly. Throws InvalidArgument where the
/// node has fewer devices, or one without a memory link, or planes cannot be shared out in slabs of two or more.
[[nodiscard]] double simulate_slab_step(const machine::MachineMap& map, const SlabStep& step, SlabScheme scheme);

}  // namespace halocline::model
