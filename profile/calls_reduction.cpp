// Collectives that combine data. Which pattern each is counted by: docs/guide/10-profile.md.
#include "profile/collective_calls.hpp"

namespace halocline::profile {
namespace {

void note_reduce(const void* buffer, std::int64_t bytes, int root, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (!peers.inter) return pattern::reduce(peers.size, peers.rank, root, bytes, send);
    if (root >= 0) send(root, bytes, 1);
  });
}

void note_all_reduce(const void* buffer, std::int64_t bytes, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (peers.inter) return send.to_all(same(bytes));
    pattern::all_reduce(peers.size, peers.rank, bytes, send);
  });
}

/// Pairwise, as all_to_all. Between two groups, whose blocks the senders do not know: nothing is counted.
template <typename Block>
void note_reduce_scatter(const void* buffer, Block&& block, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (!peers.inter) pattern::all_to_all(peers.size, peers.rank, block, send);
  });
}

void note_scan(const void* buffer, std::int64_t bytes, MPI_Comm comm) noexcept {
  record_collective(comm, buffer, [&](const Peers& peers, const Sender& send) {
    if (!peers.inter) pattern::scan(peers.size, peers.rank, bytes, send);
  });
}

}  // namespace
}  // namespace halocline::profile

using namespace halocline::profile;

extern "C" {

HALOCLINE_COLLECTIVE(Reduce, Ireduce,
                     (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, int root,
                      MPI_Comm comm),
                     (sent, received, count, type, op, root, comm),
                     note_reduce(given(sent, received), bytes_of(count, type), root, comm))

HALOCLINE_COLLECTIVE(Allreduce, Iallreduce,
                     (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                     (sent, received, count, type, op, comm),
                     note_all_reduce(given(sent, received), bytes_of(count, type), comm))

HALOCLINE_COLLECTIVE(Reduce_scatter, Ireduce_scatter,
                     (const void* sent, void* received, const int counts[], MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm),
                     (sent, received, counts, type, op, comm),
                     note_reduce_scatter(given(sent, received), blocks(counts, type), comm))

HALOCLINE_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
                     (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                     (sent, received, count, type, op, comm),
                     note_reduce_scatter(given(sent, received), same(bytes_of(count, type)), comm))

HALOCLINE_COLLECTIVE(Scan, Iscan,
                     (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                     (sent, received, count, type, op, comm),
                     note_scan(given(sent, received), bytes_of(count, type), comm))

HALOCLINE_COLLECTIVE(Exscan, Iexscan,
                     (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                     (sent, received, count, type, op, comm),
                     note_scan(given(sent, received), bytes_of(count, type), comm))

}  // extern "C"
