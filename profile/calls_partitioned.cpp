// SPDX-License-Identifier: BSD-3-Clause
// Partitioned sends, which MPI has from version 4 on: persistent ones, in parts.
#include "profile/recorder.hpp"

using namespace halocline::profile;

extern "C" {

/// Counted when it is started, as one message of all partitions, however the MPI library cuts it.
int MPI_Psend_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int to, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const int code = PMPI_Psend_init(buffer, partitions, count, type, to, tag, comm, info, request);
  if (code != MPI_SUCCESS) return code;
  note_down([&](Recorder& all) {
    const std::int64_t bytes = partitions * bytes_of(static_cast<std::int64_t>(count), type);
    if (Cell* cell = cell_of(all, comm, to)) all.plan(*request, {cell, place_of(buffer), bytes});
  });
  return code;
}

}  // extern "C"
