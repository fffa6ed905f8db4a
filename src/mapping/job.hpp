// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "mapping/mapper.hpp"

namespace halocline::mapping {

/// How the three phases are combined. magc: assigns processes to nodes by the traffic of CPUs and GPUs together, to
/// cores in their node by the CPU matrix, and GPUs to processes in their node by the GPU matrix. strategy1: the first
/// phase uses the CPU matrix alone. strategy2: GPUs are assigned in order, too. in_order: everything is assigned in
/// order. best: `congestion` in all phases, or the best of the others if that is better; see map_job().
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

/// The parts of a node that may be used, ascending.
struct FreeParts {
  std::vector<int> cores;    ///< logical numbers
  std::vector<int> devices;  ///< device_id values
};

struct JobRequest {
  const machine::MachineMap* machine = nullptr;
  const CommunicationMatrix* cpu = nullptr;  ///< at least one of the two is required; a missing one is taken as empty
  const CommunicationMatrix* gpu = nullptr;
  std::vector<FreeParts> free;  ///< by node; if empty, all parts of each node
  /// At most this many nodes are used; if unset, as few as hold the job without sharing GPUs more than on all nodes.
  std::optional<int> nodes{};
  bool spread = false;  ///< all nodes may be used; not with `nodes`
  Strategy strategy = Strategy::best;
  PhaseMappers mappers;  ///< not for best and in_order
  Effort effort;
};

/// The place of one process.
struct Seat {
  int node = 0;
  int core = 0;     ///< logical number in the node
  int device = -1;  ///< in the node; -1 if the node has no free device
  friend bool operator==(const Seat&, const Seat&) = default;
};

struct JobMapping {
  std::vector<Seat> seats;             ///< by process
  Strategy found_by = Strategy::best;  ///< of best: whose answer it is
  int most_sharing = 0;                ///< processes on the GPU with the most processes
  int nodes = 0;                       ///< with a process
};

/// Returns how many processes each node takes: one for each free core, or one for each free GPU if it has GPUs. If that
/// is too few, GPUs are shared: each node takes k for each GPU, up to its free cores, with the smallest k that is
/// sufficient. If no GPU is free, only cores count.
[[nodiscard]] std::vector<int> node_capacities(const machine::MachineMap& machine, const std::vector<FreeParts>& free,
                                               int processes);

/// All parts of all nodes.
[[nodiscard]] std::vector<FreeParts> all_free(const machine::MachineMap& machine);

/// Returns what is free on the nodes that a job may use, and nothing on the others: on the nodes that take the most
/// processes, of several on those whose neighbours by number are the fewest channels apart. Throws InvalidArgument if
/// request.nodes do not hold the job.
[[nodiscard]] std::vector<FreeParts> parts_for(const JobRequest& request);

/// Maps a job, onto parts_for() it. In a node, GPUs are shared evenly: the lower-numbered ones take one process more. `best` compares all
/// channels of the machine under both kinds of traffic together, starting from the most congested, and is never worse
/// than the other strategies with their default mappers or with Scotch in the nodes. Throws InvalidArgument if no
/// matrix is given, if the matrices have different numbers of ranks, if there are more processes than free cores, if
/// request.nodes do not hold them, or if `free` names a part that does not exist.
[[nodiscard]] JobMapping map_job(const JobRequest& request);

}  // namespace halocline::mapping
