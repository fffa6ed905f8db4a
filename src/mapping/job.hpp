// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "mapping/mapper.hpp"

namespace halocline::mapping {

/// How the three phases are put together. magc: processes to nodes by what CPUs and GPUs exchange together, to cores in
/// their node by the CPU matrix, GPUs to processes in their node by the GPU matrix. strategy1: the first phase sees the
/// CPU matrix alone. strategy2: GPUs are given in order, too. in_order: everything is. best: `congestion` in all phases,
/// and the best of the others where that is better; see map_job().
enum class Strategy : int { best, magc, strategy1, strategy2, in_order };
inline constexpr std::array all_strategies{Strategy::best, Strategy::magc, Strategy::strategy1, Strategy::strategy2,
                                           Strategy::in_order};
/// "best", "magc", "strategy1", "strategy2", "default"
[[nodiscard]] std::string_view to_string(Strategy strategy);

struct PhaseMappers {
  Mapper nodes = Mapper::partition;
  Mapper cores = Mapper::greedy;
  Mapper devices = Mapper::greedy;
};

/// What of a node may be used, ascending.
struct FreeParts {
  std::vector<int> cores;    ///< logical numbers
  std::vector<int> devices;  ///< device_id values
};

struct JobRequest {
  const machine::MachineMap* machine = nullptr;
  const CommunicationMatrix* cpu = nullptr;  ///< at least one of the two; the other one is taken as empty
  const CommunicationMatrix* gpu = nullptr;
  std::vector<FreeParts> free;  ///< by node; empty: all of each
  Strategy strategy = Strategy::best;
  PhaseMappers mappers;  ///< not for best and in_order
  Effort effort;
};

/// Where one process goes.
struct Seat {
  int node = 0;
  int core = 0;     ///< logical number in the node
  int device = -1;  ///< in the node; -1 where the node has none that is free
  friend bool operator==(const Seat&, const Seat&) = default;
};

struct JobMapping {
  std::vector<Seat> seats;             ///< by process
  Strategy found_by = Strategy::best;  ///< of best: whose answer it is
  int most_sharing = 0;                ///< processes of the GPU that most have
};

/// How many processes each node takes: one for each free core, and one for each free GPU where it has GPUs. Where that
/// holds too few, GPUs are shared: each node takes k for each GPU, up to its free cores, with the smallest k that is
/// enough. Where no free GPU is, cores alone count.
[[nodiscard]] std::vector<int> node_capacities(const machine::MachineMap& machine, const std::vector<FreeParts>& free,
                                               int processes);

/// All parts of all nodes.
[[nodiscard]] std::vector<FreeParts> all_free(const machine::MachineMap& machine);

/// Maps a job. In a node, GPUs are shared evenly: the lower-numbered ones take one process more.
/// `best` compares by all channels of the machine under both kinds of traffic together, from the most congested on, and
/// is never worse than the other strategies with their default mappers or with Scotch in the nodes.
/// Throws InvalidArgument where no matrix is given, where they have different numbers of ranks, where more processes than
/// free cores are asked for, and where `free` names what is not there.
[[nodiscard]] JobMapping map_job(const JobRequest& request);

}  // namespace halocline::mapping
