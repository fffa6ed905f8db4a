// SPDX-License-Identifier: BSD-3-Clause
// Messages from one rank to another: counted by the sender, when it hands them to MPI.
#include "profile/notes.hpp"
#include "profile/recorder.hpp"

namespace halocline::profile {

void note::send(const void* buffer, int count, MPI_Datatype type, int to, int /*tag*/, MPI_Comm comm) noexcept {
  record([&](Recorder& all) {
    if (Cell* cell = cell_of(all, comm, to)) cell->add(place_of(buffer), bytes_of(count, type), 1);
  });
}

void note::sendrecv_replace(const void* buffer, int count, MPI_Datatype type, int to, int tag, int /*from*/,
                            int /*receive_tag*/, MPI_Comm comm) noexcept {
  send(buffer, count, type, to, tag, comm);
}

void note::sendrecv(const void* buffer, int count, MPI_Datatype type, int to, int tag, const void* /*receive*/,
                    int /*receive_count*/, MPI_Datatype /*receive_type*/, int /*from*/, int /*receive_tag*/,
                    MPI_Comm comm) noexcept {
  send(buffer, count, type, to, tag, comm);
}

}  // namespace halocline::profile

namespace note = halocline::profile::note;

// The calls differ in their names alone.
#define HALOCLINE_BLOCKING_SEND(name)                                                                \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    note::send(buffer, count, type, to, tag, comm);                                                  \
    return PMPI_##name(buffer, count, type, to, tag, comm);                                          \
  }
#define HALOCLINE_IMMEDIATE_SEND(name)                                                             \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                           \
    note::send(buffer, count, type, to, tag, comm);                                                \
    return PMPI_##name(buffer, count, type, to, tag, comm, request);                               \
  }

extern "C" {

HALOCLINE_BLOCKING_SEND(Send)
HALOCLINE_BLOCKING_SEND(Bsend)
HALOCLINE_BLOCKING_SEND(Ssend)
HALOCLINE_BLOCKING_SEND(Rsend)
HALOCLINE_IMMEDIATE_SEND(Isend)
HALOCLINE_IMMEDIATE_SEND(Ibsend)
HALOCLINE_IMMEDIATE_SEND(Issend)
HALOCLINE_IMMEDIATE_SEND(Irsend)

int MPI_Sendrecv(const void* buffer, int count, MPI_Datatype type, int to, int tag, void* receive, int receive_count,
                 MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm, MPI_Status* status) {
  note::send(buffer, count, type, to, tag, comm);
  return PMPI_Sendrecv(buffer, count, type, to, tag, receive, receive_count, receive_type, from, receive_tag, comm,
                       status);
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int tag, int from, int receive_tag,
                         MPI_Comm comm, MPI_Status* status) {
  note::send(buffer, count, type, to, tag, comm);
  return PMPI_Sendrecv_replace(buffer, count, type, to, tag, from, receive_tag, comm, status);
}

}  // extern "C"
