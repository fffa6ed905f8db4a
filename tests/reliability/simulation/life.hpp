// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "halocline/domain.hpp"
#include "halocline/routing.hpp"
#include "simulation/simulator.hpp"
#include "support/seeded.hpp"

namespace halocline::simulation {

enum class Fault {
  none,
  killed,             ///< a rank leaves without close()
  stopped,            ///< a rank and its workers stop for longer than the timeout
  swapped,            ///< a rank swaps the buffers of its field once more than the others
  refused_mapping,    ///< a rank may not map some memory
  refused_export,     ///< a rank may not export some memory
  failed_allocation,  ///< an allocation of a rank's devices fails
  failed_operation,   ///< an operation in a rank's streams fails
};
[[nodiscard]] std::string_view to_string(Fault fault);

/// The life of one or two domains: made, some exchanges, closed.
struct Life {
  int ranks = 2;
  int devices = 1;
  int domains = 1;
  int steps = 3;
  Vec3 extent;
  Stencil stencil = Stencil::box(1);
  int buffers = 1;
  int workers = 0;
  bool always_remap = false;
  bool library_graphs = false;  ///< HostOptions::graphs
  bool one_operation = true;    ///< HostOptions::one_operation_below_bytes
  bool captured = false;        ///< steps are a Graph of the user
  bool launch_threads = false;
  bool waits_each_step = false;
  routing::Policy policy;
  routing::Messages messages = routing::Messages::by_neighbour;
  std::optional<int> ranks_per_node;
  exchange::Tuning tuning;
  std::uint64_t sends_seed = 0;  ///< of LateSends
  Time latest_send{};
  int serial_ranks = 0;  ///< so many first ranks may not call MPI from two threads: net is moved by the host
  Fault fault = Fault::none;
  int faulty_rank = 0;
  int fault_step = 0;  ///< -1: before the domain is made
  int fault_place = 0;
  bool lingers = false;  ///< a rank that has failed keeps its domain for longer than the timeout
  int fault_number = 1;  ///< of the allocation, mapping, export or operation
};

/// How long a LateSends of a run takes at most for each half of a send's way.
[[nodiscard]] Time random_latest_send(test::Seeded& seeded);
[[nodiscard]] Life random_life(test::Seeded& seeded);
[[nodiscard]] std::string describe(const Life& life);
/// What is wrong; empty if nothing is.
[[nodiscard]] std::string run_life(const Life& life);

}  // namespace halocline::simulation
