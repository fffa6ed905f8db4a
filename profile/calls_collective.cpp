// Collectives that move data as it is. Which pattern each is counted by: docs/guide/10-profile.md.
#include "profile/collective_calls.hpp"

namespace halocline::profile {
namespace {

void note_barrier(MPI_Comm comm) noexcept {
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

void note_broadcast(const void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    const std::int64_t bytes = bytes_of(count, type);
    if (!peers.inter) return pattern::broadcast(peers.size, peers.rank, root, bytes, send);
    if (root == MPI_ROOT) send.to_all(same(bytes));
  });
}

/// The root's own part stays where it is, so that only the others' arguments matter.
void note_gather(const void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, bool tree) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (root < 0 || (!peers.inter && peers.rank == root)) return;
    const std::int64_t block = bytes_of(count, type);
    if (!peers.inter && tree) return pattern::gather(peers.size, peers.rank, root, block, send);
    send(root, block, 1);
  });
}

void note_scatter(const void* send_buffer, int send_count, MPI_Datatype send_type, const void* receive_buffer,
                  int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) noexcept {
  record([&](Recorder& all) {
    const Peers* peers = all.peers().of_comm(comm);
    if (peers == nullptr) return;
    const bool at_root = root == MPI_ROOT || (!peers->inter && peers->rank == root);
    const std::int64_t block = at_root ? bytes_of(send_count, send_type) : bytes_of(receive_count, receive_type);
    const Sender send{all, *peers, place_of(at_root ? send_buffer : receive_buffer)};
    if (!peers->inter) return pattern::scatter(peers->size, peers->rank, root, block, send);
    if (at_root) send.to_all(same(block));
  });
}

void note_scatterv(const void* buffer, const int* counts, MPI_Datatype type, int root, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (root == MPI_ROOT) return send.to_all(blocks(counts, type));
    if (!peers.inter && peers.rank == root) pattern::all_to_all(peers.size, root, blocks(counts, type), send);
  });
}

/// own: bytes of this rank's block; block: of any rank's of the own group.
template <typename Block>
void note_all_gather(const void* buffer, std::int64_t own, Block&& block, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (peers.inter) return send.to_all(same(own));
    pattern::all_gather(peers.size, peers.rank, block, send);
  });
}

template <typename Block>
void note_all_to_all(const void* buffer, Block&& block, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (peers.inter) return send.to_all(block);
    pattern::all_to_all(peers.size, peers.rank, block, send);
  });
}

}  // namespace
}  // namespace halocline::profile

using namespace halocline::profile;

extern "C" {

HALOCLINE_COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (comm), note_barrier(comm))

HALOCLINE_COLLECTIVE(Bcast, Ibcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
                     (buffer, count, type, root, comm), note_broadcast(buffer, count, type, root, comm))

HALOCLINE_COLLECTIVE(Gather, Igather,
                     (const void* sent, int count, MPI_Datatype type, void* received, int received_count,
                      MPI_Datatype received_type, int root, MPI_Comm comm),
                     (sent, count, type, received, received_count, received_type, root, comm),
                     note_gather(sent, count, type, root, comm, true))

HALOCLINE_COLLECTIVE(Gatherv, Igatherv,
                     (const void* sent, int count, MPI_Datatype type, void* received, const int received_counts[],
                      const int offsets[], MPI_Datatype received_type, int root, MPI_Comm comm),
                     (sent, count, type, received, received_counts, offsets, received_type, root, comm),
                     note_gather(sent, count, type, root, comm, false))

HALOCLINE_COLLECTIVE(Scatter, Iscatter,
                     (const void* sent, int count, MPI_Datatype type, void* received, int received_count,
                      MPI_Datatype received_type, int root, MPI_Comm comm),
                     (sent, count, type, received, received_count, received_type, root, comm),
                     note_scatter(sent, count, type, received, received_count, received_type, root, comm))

HALOCLINE_COLLECTIVE(Scatterv, Iscatterv,
                     (const void* sent, const int counts[], const int offsets[], MPI_Datatype type, void* received,
                      int received_count, MPI_Datatype received_type, int root, MPI_Comm comm),
                     (sent, counts, offsets, type, received, received_count, received_type, root, comm),
                     note_scatterv(sent, counts, type, root, comm))

HALOCLINE_COLLECTIVE(Allgather, Iallgather,
                     (const void* sent, int count, MPI_Datatype type, void* received, int received_count,
                      MPI_Datatype received_type, MPI_Comm comm),
                     (sent, count, type, received, received_count, received_type, comm),
                     note_all_gather(given(sent, received), bytes_of(count, type),
                                     same(bytes_of(received_count, received_type)), comm))

HALOCLINE_COLLECTIVE(Allgatherv, Iallgatherv,
                     (const void* sent, int count, MPI_Datatype type, void* received, const int received_counts[],
                      const int offsets[], MPI_Datatype received_type, MPI_Comm comm),
                     (sent, count, type, received, received_counts, offsets, received_type, comm),
                     note_all_gather(given(sent, received), bytes_of(count, type),
                                     blocks(received_counts, received_type), comm))

HALOCLINE_COLLECTIVE(
    Alltoall, Ialltoall,
    (const void* sent, int count, MPI_Datatype type, void* received, int received_count, MPI_Datatype received_type,
     MPI_Comm comm),
    (sent, count, type, received, received_count, received_type, comm),
    note_all_to_all(given(sent, received),
                    same(sent == MPI_IN_PLACE ? bytes_of(received_count, received_type) : bytes_of(count, type)), comm))

HALOCLINE_COLLECTIVE(
    Alltoallv, Ialltoallv,
    (const void* sent, const int counts[], const int offsets[], MPI_Datatype type, void* received,
     const int received_counts[], const int received_offsets[], MPI_Datatype received_type, MPI_Comm comm),
    (sent, counts, offsets, type, received, received_counts, received_offsets, received_type, comm),
    note_all_to_all(given(sent, received),
                    sent == MPI_IN_PLACE ? blocks(received_counts, received_type) : blocks(counts, type), comm))

HALOCLINE_COLLECTIVE(
    Alltoallw, Ialltoallw,
    (const void* sent, const int counts[], const int offsets[], const MPI_Datatype types[], void* received,
     const int received_counts[], const int received_offsets[], const MPI_Datatype received_types[], MPI_Comm comm),
    (sent, counts, offsets, types, received, received_counts, received_offsets, received_types, comm),
    note_all_to_all(given(sent, received),
                    sent == MPI_IN_PLACE ? blocks(received_counts, received_types) : blocks(counts, types), comm))

}  // extern "C"
