// SPDX-License-Identifier: BSD-3-Clause
// Collectives that combine data. Which pattern each is counted by: docs/guide/10-profile.md.
#include "profile/collective_calls.hpp"

namespace halocline::profile {
namespace {

void add_reduce(const void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (root < 0) return;  // between groups, where nothing else need be right then
    const std::int64_t bytes = bytes_of(count, type);
    if (!peers.inter) return pattern::reduce(peers.size, peers.rank, root, bytes, send);
    send(root, bytes, 1);
  });
}

void add_all_reduce(const void* buffer, std::int64_t bytes, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (peers.inter) return send.to_all(same(bytes));
    pattern::all_reduce(peers.size, peers.rank, bytes, send);
  });
}

/// Pairwise, as all_to_all. Between two groups, whose blocks the senders do not know: nothing is counted.
template <typename Block>
void add_reduce_scatter(const void* buffer, Block&& block, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (!peers.inter) pattern::all_to_all(peers.size, peers.rank, block, send);
  });
}

void add_scan(const void* buffer, std::int64_t bytes, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (!peers.inter) pattern::scan(peers.size, peers.rank, bytes, send);
  });
}

}  // namespace

void note::reduce(const void* sent, const void* received, int count, MPI_Datatype type, MPI_Op /*op*/, int root,
                  MPI_Comm comm) noexcept {
  add_reduce(given(sent, received), count, type, root, comm);
}

void note::allreduce(const void* sent, const void* received, int count, MPI_Datatype type, MPI_Op /*op*/,
                     MPI_Comm comm) noexcept {
  add_all_reduce(given(sent, received), bytes_of(count, type), comm);
}

void note::reduce_scatter(const void* sent, const void* received, const int* counts, MPI_Datatype type, MPI_Op /*op*/,
                          MPI_Comm comm) noexcept {
  add_reduce_scatter(given(sent, received), blocks(counts, type), comm);
}

void note::reduce_scatter_block(const void* sent, const void* received, int count, MPI_Datatype type, MPI_Op /*op*/,
                                MPI_Comm comm) noexcept {
  add_reduce_scatter(given(sent, received), same(bytes_of(count, type)), comm);
}

void note::scan(const void* sent, const void* received, int count, MPI_Datatype type, MPI_Op /*op*/,
                MPI_Comm comm) noexcept {
  add_scan(given(sent, received), bytes_of(count, type), comm);
}

}  // namespace halocline::profile

namespace note = halocline::profile::note;

extern "C" {

HALOCLINE_COLLECTIVE(Reduce, Ireduce,
                     (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, int root,
                      MPI_Comm comm),
                     (sent, received, count, type, op, root, comm), note::reduce)

HALOCLINE_COLLECTIVE(Allreduce, Iallreduce,
                     (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                     (sent, received, count, type, op, comm), note::allreduce)

HALOCLINE_COLLECTIVE(Reduce_scatter, Ireduce_scatter,
                     (const void* sent, void* received, const int counts[], MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm),
                     (sent, received, counts, type, op, comm), note::reduce_scatter)

HALOCLINE_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
                     (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                     (sent, received, count, type, op, comm), note::reduce_scatter_block)

HALOCLINE_COLLECTIVE(Scan, Iscan,
                     (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                     (sent, received, count, type, op, comm), note::scan)

HALOCLINE_COLLECTIVE(Exscan, Iexscan,
                     (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                     (sent, received, count, type, op, comm), note::scan)

}  // extern "C"
