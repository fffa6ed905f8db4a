// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives: one message to each neighbour in the communicator's topology.
#include "profile/collective_calls.hpp"

namespace halocline::profile {
namespace {

/// block(i): bytes for the neighbour number i.
template <typename Block>
void add_neighbours(const void* buffer, Block&& block, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    for (std::size_t i = 0; i < peers.neighbours.size(); ++i) {
      // MPI_PROC_NULL, beyond an open boundary, keeps its place in the lists.
      send(peers.neighbours[i], block(static_cast<int>(i)), 1);
    }
  });
}

}  // namespace

void note::neighbor_allgather(const void* sent, int count, MPI_Datatype type, const void* /*received*/,
                              int /*received_count*/, MPI_Datatype /*received_type*/, MPI_Comm comm) noexcept {
  add_neighbours(sent, same(bytes_of(count, type)), comm);
}

void note::neighbor_allgatherv(const void* sent, int count, MPI_Datatype type, const void* /*received*/,
                               const int* /*received_counts*/, const int* /*offsets*/, MPI_Datatype /*received_type*/,
                               MPI_Comm comm) noexcept {
  add_neighbours(sent, same(bytes_of(count, type)), comm);
}

void note::neighbor_alltoallv(const void* sent, const int* counts, const int* /*offsets*/, MPI_Datatype type,
                              const void* /*received*/, const int* /*received_counts*/, const int* /*received_offsets*/,
                              MPI_Datatype /*received_type*/, MPI_Comm comm) noexcept {
  add_neighbours(sent, blocks(counts, type), comm);
}

void note::neighbor_alltoallw(const void* sent, const int* counts, const MPI_Aint* /*offsets*/, TypeList types,
                              const void* /*received*/, const int* /*received_counts*/,
                              const MPI_Aint* /*received_offsets*/, TypeList /*received_types*/,
                              MPI_Comm comm) noexcept {
  add_neighbours(sent, blocks(counts, types), comm);
}

}  // namespace halocline::profile

namespace note = halocline::profile::note;

extern "C" {

HALOCLINE_COLLECTIVE(Neighbor_allgather, Ineighbor_allgather,
                     (const void* sent, int count, MPI_Datatype type, void* received, int received_count,
                      MPI_Datatype received_type, MPI_Comm comm),
                     (sent, count, type, received, received_count, received_type, comm), note::neighbor_allgather)

HALOCLINE_COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv,
                     (const void* sent, int count, MPI_Datatype type, void* received, const int received_counts[],
                      const int offsets[], MPI_Datatype received_type, MPI_Comm comm),
                     (sent, count, type, received, received_counts, offsets, received_type, comm),
                     note::neighbor_allgatherv)

HALOCLINE_COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall,
                     (const void* sent, int count, MPI_Datatype type, void* received, int received_count,
                      MPI_Datatype received_type, MPI_Comm comm),
                     (sent, count, type, received, received_count, received_type, comm), note::neighbor_allgather)

HALOCLINE_COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv,
                     (const void* sent, const int counts[], const int offsets[], MPI_Datatype type, void* received,
                      const int received_counts[], const int received_offsets[], MPI_Datatype received_type,
                      MPI_Comm comm),
                     (sent, counts, offsets, type, received, received_counts, received_offsets, received_type, comm),
                     note::neighbor_alltoallv)

HALOCLINE_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
                     (const void* sent, const int counts[], const MPI_Aint offsets[], const MPI_Datatype types[],
                      void* received, const int received_counts[], const MPI_Aint received_offsets[],
                      const MPI_Datatype received_types[], MPI_Comm comm),
                     (sent, counts, offsets, types, received, received_counts, received_offsets, received_types, comm),
                     note::neighbor_alltoallw)

}  // extern "C"
