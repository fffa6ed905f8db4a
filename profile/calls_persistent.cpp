// Persistent sends: noted when they are set up, counted each time they are started.
#include "profile/recorder.hpp"

namespace halocline::profile {
namespace {

void plan(int code, const void* buffer, int count, MPI_Datatype type, int to, MPI_Comm comm,
          const MPI_Request* request) noexcept {
  if (code != MPI_SUCCESS) return;
  record([&](Recorder& all) {
    if (Cell* cell = cell_of(all, comm, to)) all.plan(*request, {cell, place_of(buffer), bytes_of(count, type)});
  });
}

}  // namespace
}  // namespace halocline::profile

using halocline::profile::plan;
using halocline::profile::record;
using halocline::profile::Recorder;

#define HALOCLINE_SEND_INIT(name)                                                                  \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                           \
    const int code = PMPI_##name(buffer, count, type, to, tag, comm, request);                     \
    plan(code, buffer, count, type, to, comm, request);                                            \
    return code;                                                                                   \
  }

extern "C" {

HALOCLINE_SEND_INIT(Send_init)
HALOCLINE_SEND_INIT(Bsend_init)
HALOCLINE_SEND_INIT(Ssend_init)
HALOCLINE_SEND_INIT(Rsend_init)

int MPI_Start(MPI_Request* request) {
  record([&](Recorder& all) { all.start(*request); });
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
  record([&](Recorder& all) {
    for (int i = 0; i < count; ++i) all.start(requests[i]);
  });
  return PMPI_Startall(count, requests);
}

// MPI may give the handle to another request afterwards.
int MPI_Request_free(MPI_Request* request) {
  record([&](Recorder& all) { all.forget(*request); });
  return PMPI_Request_free(request);
}

}  // extern "C"
