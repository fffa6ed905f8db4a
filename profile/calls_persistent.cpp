// SPDX-License-Identifier: BSD-3-Clause
// Persistent sends: noted when they are created, counted each time they are started.
#include "profile/notes.hpp"
#include "profile/recorder.hpp"

namespace halocline::profile {

void note::send_init(const void* buffer, int count, MPI_Datatype type, int to, int /*tag*/, MPI_Comm comm,
                     MPI_Request request) noexcept {
  note_down([&](Recorder& all) {
    if (Cell* cell = cell_of(all, comm, to)) all.plan(request, {cell, place_of(buffer), bytes_of(count, type)});
  });
}

void note::start(MPI_Request request) noexcept {
  record([&](Recorder& all) { all.start(request); });
}

// MPI may give the handle to another request afterwards.
void note::request_free(MPI_Request request) noexcept {
  note_down([&](Recorder& all) { all.forget(request); });
}

}  // namespace halocline::profile

namespace note = halocline::profile::note;

#define HALOCLINE_SEND_INIT(name)                                                                  \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                           \
    const int code = PMPI_##name(buffer, count, type, to, tag, comm, request);                     \
    if (code == MPI_SUCCESS) note::send_init(buffer, count, type, to, tag, comm, *request);        \
    return code;                                                                                   \
  }

extern "C" {

HALOCLINE_SEND_INIT(Send_init)
HALOCLINE_SEND_INIT(Bsend_init)
HALOCLINE_SEND_INIT(Ssend_init)
HALOCLINE_SEND_INIT(Rsend_init)

int MPI_Start(MPI_Request* request) {
  note::start(*request);
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
  for (int i = 0; i < count; ++i) note::start(requests[i]);
  return PMPI_Startall(count, requests);
}

int MPI_Request_free(MPI_Request* request) {
  note::request_free(*request);
  return PMPI_Request_free(request);
}

}  // extern "C"
