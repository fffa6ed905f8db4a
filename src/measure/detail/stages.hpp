// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "machine/infer_network.hpp"
#include "measure/detail/session.hpp"

// The schedule, in order. Each stage is collective over the node: all ranks walk through the same steps, those that
// have nothing to do in a step wait for its end.
namespace halocline::machine::measuring {

/// Copies within each device.
void measure_own_memory(Session& session);
/// copy, put, get, staged: each ordered pair one way, each unordered pair two ways, all pairs at once.
void measure_pairs(Session& session);
/// copy_no_peer: pairs within one process, CUDA only.
void measure_without_peer(Session& session);
/// managed_demand and managed_prefetch between devices: pairs within one process, CUDA only.
void measure_managed_pairs(Session& session);
/// flag, each unordered pair.
void measure_flags(Session& session);
/// mpi_host, mpi_device, mpi_staged.
void measure_messages(Session& session);

/// Where host memory can be put: a vertex of the node and the operating system's number for it.
using NumaNodes = std::vector<std::pair<int, int>>;
/// pinned, mapped, pageable, managed_demand, managed_prefetch.
void measure_host(Session& session, const NumaNodes& numa);

/// Messages between the first ranks of nodes: 0 with 1, 2 with 3, and so on; medians. Collective over all ranks.
/// first_ranks: by node, two or more.
[[nodiscard]] LinkRate measure_network(comm::RankGroup& comm, const std::vector<rank_id>& first_ranks,
                                       const MeasureRequest& request);
/// Between each two nodes, one pair after the other: the shortest of some messages, as other work only adds time. Collective over all ranks. Throws DeadlineError if the
/// seconds of the request are over before each pair was measured once.
[[nodiscard]] std::vector<PairMeasurement> measure_node_pairs(comm::RankGroup& comm,
                                                              const std::vector<rank_id>& first_ranks,
                                                              const MeasureRequest& request);

}  // namespace halocline::machine::measuring
