// SPDX-License-Identifier: BSD-3-Clause
#include "profile/peers.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>

namespace halocline::profile {
namespace {

int forget_comm(MPI_Comm, int, void* peers, void*) {
  delete static_cast<Peers*>(peers);
  return MPI_SUCCESS;
}

int forget_window(MPI_Win, int, void* peers, void*) {
  delete static_cast<Peers*>(peers);
  return MPI_SUCCESS;
}

/// Frees the group.
std::vector<int> in_world(MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> translated(ranks.size(), MPI_UNDEFINED);
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  if (size > 0) PMPI_Group_translate_ranks(group, size, ranks.data(), world, translated.data());
  PMPI_Group_free(&world);
  if (group != MPI_GROUP_EMPTY) PMPI_Group_free(&group);
  return translated;
}

std::vector<int> cartesian_neighbours(MPI_Comm comm) {
  int dimensions = 0;
  PMPI_Cartdim_get(comm, &dimensions);
  std::vector<int> neighbours;
  for (int d = 0; d < dimensions; ++d) {
    int below = MPI_PROC_NULL;
    int above = MPI_PROC_NULL;
    PMPI_Cart_shift(comm, d, 1, &below, &above);
    neighbours.push_back(below);
    neighbours.push_back(above);
  }
  return neighbours;
}

std::vector<int> graph_neighbours(MPI_Comm comm, int rank) {
  int count = 0;
  PMPI_Graph_neighbors_count(comm, rank, &count);
  std::vector<int> neighbours(static_cast<std::size_t>(count));
  PMPI_Graph_neighbors(comm, rank, count, neighbours.data());
  return neighbours;
}

std::vector<int> distributed_neighbours(MPI_Comm comm) {
  int in = 0;
  int out = 0;
  int weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  // One more each, as some MPIs take no null pointer.
  std::vector<int> sources(static_cast<std::size_t>(in) + 1);
  std::vector<int> source_weights(sources.size());
  std::vector<int> destinations(static_cast<std::size_t>(out) + 1);
  std::vector<int> destination_weights(destinations.size());
  PMPI_Dist_graph_neighbors(comm, in, sources.data(), source_weights.data(), out, destinations.data(),
                            destination_weights.data());
  destinations.pop_back();
  return destinations;
}

std::vector<int> neighbours_of(MPI_Comm comm, int rank) {
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) return cartesian_neighbours(comm);
  if (topology == MPI_GRAPH) return graph_neighbours(comm, rank);
  if (topology == MPI_DIST_GRAPH) return distributed_neighbours(comm);
  return {};
}

Peers peers_of_comm(MPI_Comm comm) {
  Peers peers;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  peers.inter = inter != 0;
  PMPI_Comm_rank(comm, &peers.rank);
  MPI_Group group = MPI_GROUP_NULL;
  if (peers.inter) {
    PMPI_Comm_remote_group(comm, &group);
  } else {
    PMPI_Comm_group(comm, &group);
  }
  peers.world = in_world(group);
  peers.size = static_cast<int>(peers.world.size());
  if (!peers.inter) peers.neighbours = neighbours_of(comm, peers.rank);
  return peers;
}

Peers peers_of_window(MPI_Win window) {
  Peers peers;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Win_get_group(window, &group);
  PMPI_Group_rank(group, &peers.rank);
  peers.world = in_world(group);
  peers.size = static_cast<int>(peers.world.size());
  return peers;
}

/// What get() finds, or else what make() gives, which set() leaves there; only one thread sets it.
template <typename Get, typename Make, typename Set>
const Peers* kept(Get&& get, Make&& make, Set&& set) {
  if (const Peers* found = get()) return found;
  static std::mutex mutex;
  const std::lock_guard held(mutex);
  if (const Peers* found = get()) return found;
  auto fresh = std::make_unique<Peers>(make());
  set(fresh.get());
  return fresh.release();
}

}  // namespace

PeerCache::PeerCache() : world_(peers_of_comm(MPI_COMM_WORLD)) {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_comm, &comm_key_, nullptr);
  PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget_window, &window_key_, nullptr);
}

const Peers* PeerCache::of_comm(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return &world_;
  if (comm == MPI_COMM_NULL) return nullptr;
  const auto get = [&] {
    void* value = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(comm, comm_key_, &value, &found);
    return found != 0 ? static_cast<const Peers*>(value) : nullptr;
  };
  return kept(
      get, [&] { return peers_of_comm(comm); }, [&](Peers* peers) { PMPI_Comm_set_attr(comm, comm_key_, peers); });
}

const Peers* PeerCache::of_window(MPI_Win window) {
  if (window == MPI_WIN_NULL) return nullptr;
  const auto get = [&] {
    void* value = nullptr;
    int found = 0;
    PMPI_Win_get_attr(window, window_key_, &value, &found);
    return found != 0 ? static_cast<const Peers*>(value) : nullptr;
  };
  return kept(
      get, [&] { return peers_of_window(window); },
      [&](Peers* peers) { PMPI_Win_set_attr(window, window_key_, peers); });
}

}  // namespace halocline::profile
