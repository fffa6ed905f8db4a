// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <mpi.h>

#include "halocline/box.hpp"
#include "halocline/machine.hpp"
#include "halocline/routing.hpp"

namespace halocline::bench {

/// The exchange that all contenders carry out: one periodic fp64 field, all 26 directions, one subdomain a rank.
struct Workload {
  Vec3 cells;  ///< of each subdomain
  Vec3 grid;   ///< of ranks, x fastest
  Vec3 node_grid{1, 1, 1};
  std::int64_t radius = 3;
};

/// One way to exchange halos.
class Contender {
 public:
  virtual ~Contender() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Writes a function of the global index into owned cells and a sentinel into halos; counts wrong halo cells. Not
  /// timed.
  virtual void fill() = 0;
  [[nodiscard]] virtual std::int64_t wrong_cells() = 0;
  /// One whole exchange: halos are there when it returns.
  virtual void exchange() = 0;
};

[[nodiscard]] std::unique_ptr<Contender> make_halocline(const Workload& workload, routing::Transport transport);
/// direct within a node, mpi_staged between nodes. map: of the machine, instead of the discovered one.
[[nodiscard]] std::unique_ptr<Contender> make_halocline(const Workload& workload, routing::Messages messages,
                                                        const std::optional<Machine>& map = {});
/// MPI_Isend/Irecv, one message a direction, each a subarray datatype.
[[nodiscard]] std::unique_ptr<Contender> make_subarrays(const Workload& workload);
/// MPI_Neighbor_alltoallw over a graph communicator, with the same datatypes.
[[nodiscard]] std::unique_ptr<Contender> make_neighbourhood(const Workload& workload);
/// One persistent message a neighbour, packed and unpacked by hand.
[[nodiscard]] std::unique_ptr<Contender> make_packed(const Workload& workload);
/// MPI_Ineighbor_alltoallv over a graph communicator of the neighbours, packed and unpacked by hand.
[[nodiscard]] std::unique_ptr<Contender> make_packed_neighbourhood(const Workload& workload);
/// What the ranks of a node wait for each other by: MPI_Barrier, or a counter in shared memory.
enum class NodeBarrier { mpi, counter };
/// One persistent message from a node to another, in a window that the ranks of a node share.
[[nodiscard]] std::unique_ptr<Contender> make_leaders(const Workload& workload, NodeBarrier barrier);

/// Within a node: each rank copies into its neighbours' halos, in a window of shared memory; all meet by a counter before and after.
[[nodiscard]] std::unique_ptr<Contender> make_shared_window(const Workload& workload);
/// The same copies in memory of the kind that Halocline's host devices have, with short rows fetched ahead, for which nobody waits.
[[nodiscard]] std::unique_ptr<Contender> make_copies_alone(const Workload& workload);

/// What cell p of the domain holds.
[[nodiscard]] inline double value_at(const Vec3& p) {
  return static_cast<double>(p.x) + 1000.0 * static_cast<double>(p.y) + 1e6 * static_cast<double>(p.z);
}

}  // namespace halocline::bench
