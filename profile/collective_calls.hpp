// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/collectives.hpp"
#include "profile/notes.hpp"
#include "profile/recorder.hpp"

namespace halocline::profile {

/// Counts what the calling rank sends to ranks of a communicator. Nothing is sent where there are no bytes.
struct Sender {
  Recorder& all;
  const Peers& peers;
  Place place;

  void operator()(int to, std::int64_t bytes, std::int64_t messages) const {
    if (bytes == 0) return;
    if (Cell* cell = cell_of(all, &peers, to)) cell->add(place, bytes, messages);
  }
  /// Between two groups no algorithm is assumed: straight to each rank of the other one.
  template <typename Block>
  void to_all(Block&& block) const {
    for (int to = 0; to < peers.size; ++to) (*this)(to, block(to), 1);
  }
};

/// body(peers, sender); buffer: what this rank sends from.
template <typename Body>
void record_collective(MPI_Comm comm, const void* buffer, Body&& body) noexcept {
  record([&](Recorder& all) {
    if (const Peers* peers = all.peers().of_comm(comm)) body(*peers, Sender{all, *peers, place_of(buffer)});
  });
}

/// A rank's buffer, where it may have said MPI_IN_PLACE.
[[nodiscard]] inline const void* given(const void* send, const void* receive) {
  return send == MPI_IN_PLACE ? receive : send;
}

/// The same number for every rank.
[[nodiscard]] constexpr auto same(std::int64_t bytes) {
  return [bytes](int) { return bytes; };
}
/// counts[rank] elements of a type.
[[nodiscard]] inline auto blocks(const int* counts, MPI_Datatype type) {
  return [counts, element = bytes_of(1, type)](int rank) { return counts[rank] * element; };
}
/// counts[rank] elements of types[rank].
[[nodiscard]] inline auto blocks(const int* counts, note::TypeList types) {
  return [counts, types](int rank) { return bytes_of(counts[rank], types[rank]); };
}

}  // namespace halocline::profile

#define HALOCLINE_LIST(...) __VA_ARGS__
/// A collective and its nonblocking twin, which have the same parameters but for the request; both are counted when they
/// are called. parameters and arguments are lists in parentheses; counted takes the arguments.
#define HALOCLINE_COLLECTIVE(name, immediate, parameters, arguments, counted) \
  int MPI_##name(HALOCLINE_LIST parameters) {                                 \
    counted arguments;                                                        \
    return PMPI_##name(HALOCLINE_LIST arguments);                             \
  }                                                                           \
  int MPI_##immediate(HALOCLINE_LIST parameters, MPI_Request* request) {      \
    counted arguments;                                                        \
    return PMPI_##immediate(HALOCLINE_LIST arguments, request);               \
  }
