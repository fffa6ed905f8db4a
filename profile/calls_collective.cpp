// SPDX-License-Identifier: BSD-3-Clause
// Collectives that move data as it is. Which pattern each is counted by: docs/guide/10-profile.md.
#include "profile/collective_calls.hpp"

namespace halocline::profile {
namespace {

/// The root's own part stays where it is, so that only the others' arguments matter.
void add_gather(const void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, bool tree) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (root < 0 || (!peers.inter && peers.rank == root)) return;
    const std::int64_t block = bytes_of(count, type);
    if (!peers.inter && tree) return pattern::gather(peers.size, peers.rank, root, block, send);
    send(root, block, 1);
  });
}

/// own: bytes of this rank's block; block: of any rank's of the own group.
template <typename Block>
void add_all_gather(const void* buffer, std::int64_t own, Block&& block, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (peers.inter) return send.to_all(same(own));
    pattern::all_gather(peers.size, peers.rank, block, send);
  });
}

/// Wanted between groups alone, where there is no MPI_IN_PLACE; with that, the type need not be one.
std::int64_t own_block(const void* sent, int count, MPI_Datatype type) noexcept {
  return sent == MPI_IN_PLACE ? 0 : bytes_of(count, type);
}

template <typename Block>
void add_all_to_all(const void* buffer, Block&& block, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (peers.inter) return send.to_all(block);
    pattern::all_to_all(peers.size, peers.rank, block, send);
  });
}

}  // namespace

void note::barrier(MPI_Comm comm) noexcept {
  record([&](Recorder& all) {
    const Peers* peers = all.peers().of_comm(comm);
    if (peers == nullptr) return;
    const auto send = [&](int to, std::int64_t bytes, std::int64_t messages) {
      if (Cell* cell = cell_of(all, peers, to)) cell->add(Place::cpu, bytes, messages);
    };
    if (!peers->inter) return pattern::barrier(peers->size, peers->rank, send);
    for (int to = 0; to < peers->size; ++to) send(to, 0, 1);
  });
}

void note::bcast(const void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (!peers.inter) return pattern::broadcast(peers.size, peers.rank, root, bytes_of(count, type), send);
    if (root == MPI_ROOT) send.to_all(same(bytes_of(count, type)));
  });
}

void note::gather(const void* sent, int count, MPI_Datatype type, const void* /*received*/, int /*received_count*/,
                  MPI_Datatype /*received_type*/, int root, MPI_Comm comm) noexcept {
  add_gather(sent, count, type, root, comm, true);
}

void note::gatherv(const void* sent, int count, MPI_Datatype type, const void* /*received*/,
                   const int* /*received_counts*/, const int* /*offsets*/, MPI_Datatype /*received_type*/, int root,
                   MPI_Comm comm) noexcept {
  add_gather(sent, count, type, root, comm, false);
}

void note::scatter(const void* sent, int count, MPI_Datatype type, const void* received, int received_count,
                   MPI_Datatype received_type, int root, MPI_Comm comm) noexcept {
  record([&](Recorder& all) {
    const Peers* peers = all.peers().of_comm(comm);
    if (peers == nullptr || root == MPI_PROC_NULL) return;
    const bool at_root = root == MPI_ROOT || (!peers->inter && peers->rank == root);
    const std::int64_t block = at_root ? bytes_of(count, type) : bytes_of(received_count, received_type);
    const Sender send{all, *peers, place_of(at_root ? sent : received)};
    if (!peers->inter) return pattern::scatter(peers->size, peers->rank, root, block, send);
    if (at_root) send.to_all(same(block));
  });
}

void note::scatterv(const void* sent, const int* counts, const int* /*offsets*/, MPI_Datatype type,
                    const void* /*received*/, int /*received_count*/, MPI_Datatype /*received_type*/, int root,
                    MPI_Comm comm) noexcept {
  record_collective(comm, sent, [&](const Peers& peers, const Sender& send) {
    if (root == MPI_ROOT) return send.to_all(blocks(counts, type));
    if (!peers.inter && peers.rank == root) pattern::all_to_all(peers.size, root, blocks(counts, type), send);
  });
}

void note::allgather(const void* sent, int count, MPI_Datatype type, const void* received, int received_count,
                     MPI_Datatype received_type, MPI_Comm comm) noexcept {
  add_all_gather(given(sent, received), own_block(sent, count, type), same(bytes_of(received_count, received_type)),
                 comm);
}

void note::allgatherv(const void* sent, int count, MPI_Datatype type, const void* received, const int* received_counts,
                      const int* /*offsets*/, MPI_Datatype received_type, MPI_Comm comm) noexcept {
  add_all_gather(given(sent, received), own_block(sent, count, type), blocks(received_counts, received_type), comm);
}

void note::alltoall(const void* sent, int count, MPI_Datatype type, const void* received, int received_count,
                    MPI_Datatype received_type, MPI_Comm comm) noexcept {
  const std::int64_t block = sent == MPI_IN_PLACE ? bytes_of(received_count, received_type) : bytes_of(count, type);
  add_all_to_all(given(sent, received), same(block), comm);
}

void note::alltoallv(const void* sent, const int* counts, const int* /*offsets*/, MPI_Datatype type,
                     const void* received, const int* received_counts, const int* /*received_offsets*/,
                     MPI_Datatype received_type, MPI_Comm comm) noexcept {
  const bool in_place = sent == MPI_IN_PLACE;
  add_all_to_all(given(sent, received), in_place ? blocks(received_counts, received_type) : blocks(counts, type), comm);
}

void note::alltoallw(const void* sent, const int* counts, const int* /*offsets*/, TypeList types, const void* received,
                     const int* received_counts, const int* /*received_offsets*/, TypeList received_types,
                     MPI_Comm comm) noexcept {
  const bool in_place = sent == MPI_IN_PLACE;
  add_all_to_all(given(sent, received), in_place ? blocks(received_counts, received_types) : blocks(counts, types),
                 comm);
}

}  // namespace halocline::profile

namespace note = halocline::profile::note;

extern "C" {

HALOCLINE_COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (comm), note::barrier)

HALOCLINE_COLLECTIVE(Bcast, Ibcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
                     (buffer, count, type, root, comm), note::bcast)

HALOCLINE_COLLECTIVE(Gather, Igather,
                     (const void* sent, int count, MPI_Datatype type, void* received, int received_count,
                      MPI_Datatype received_type, int root, MPI_Comm comm),
                     (sent, count, type, received, received_count, received_type, root, comm), note::gather)

HALOCLINE_COLLECTIVE(Gatherv, Igatherv,
                     (const void* sent, int count, MPI_Datatype type, void* received, const int received_counts[],
                      const int offsets[], MPI_Datatype received_type, int root, MPI_Comm comm),
                     (sent, count, type, received, received_counts, offsets, received_type, root, comm), note::gatherv)

HALOCLINE_COLLECTIVE(Scatter, Iscatter,
                     (const void* sent, int count, MPI_Datatype type, void* received, int received_count,
                      MPI_Datatype received_type, int root, MPI_Comm comm),
                     (sent, count, type, received, received_count, received_type, root, comm), note::scatter)

HALOCLINE_COLLECTIVE(Scatterv, Iscatterv,
                     (const void* sent, const int counts[], const int offsets[], MPI_Datatype type, void* received,
                      int received_count, MPI_Datatype received_type, int root, MPI_Comm comm),
                     (sent, counts, offsets, type, received, received_count, received_type, root, comm), note::scatterv)

HALOCLINE_COLLECTIVE(Allgather, Iallgather,
                     (const void* sent, int count, MPI_Datatype type, void* received, int received_count,
                      MPI_Datatype received_type, MPI_Comm comm),
                     (sent, count, type, received, received_count, received_type, comm), note::allgather)

HALOCLINE_COLLECTIVE(Allgatherv, Iallgatherv,
                     (const void* sent, int count, MPI_Datatype type, void* received, const int received_counts[],
                      const int offsets[], MPI_Datatype received_type, MPI_Comm comm),
                     (sent, count, type, received, received_counts, offsets, received_type, comm), note::allgatherv)

HALOCLINE_COLLECTIVE(Alltoall, Ialltoall,
                     (const void* sent, int count, MPI_Datatype type, void* received, int received_count,
                      MPI_Datatype received_type, MPI_Comm comm),
                     (sent, count, type, received, received_count, received_type, comm), note::alltoall)

HALOCLINE_COLLECTIVE(Alltoallv, Ialltoallv,
                     (const void* sent, const int counts[], const int offsets[], MPI_Datatype type, void* received,
                      const int received_counts[], const int received_offsets[], MPI_Datatype received_type,
                      MPI_Comm comm),
                     (sent, counts, offsets, type, received, received_counts, received_offsets, received_type, comm),
                     note::alltoallv)

HALOCLINE_COLLECTIVE(Alltoallw, Ialltoallw,
                     (const void* sent, const int counts[], const int offsets[], const MPI_Datatype types[],
                      void* received, const int received_counts[], const int received_offsets[],
                      const MPI_Datatype received_types[], MPI_Comm comm),
                     (sent, counts, offsets, types, received, received_counts, received_offsets, received_types, comm),
                     note::alltoallw)

}  // extern "C"
