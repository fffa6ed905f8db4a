// SPDX-License-Identifier: BSD-3-Clause
// From MPI_Init to MPI_Finalize, or to an end without it.
#include "profile/notes.hpp"
#include "profile/recorder.hpp"
#include "profile/report.hpp"

namespace halocline::profile {
namespace {

/// Whether this library saw MPI_Init.
bool begun = false;

/// A process that ends by exit() after MPI_Init and without MPI_Finalize, or whose calls did not come by here.
struct AtExit {
  ~AtExit() {
    if (Recorder* const all = stop_recording()) tell_unfinished(*all);
    int used = 0;
    if (!begun && PMPI_Initialized(&used) == MPI_SUCCESS && used != 0) tell_unseen();
  }
};
const AtExit at_exit;

}  // namespace

void note::begin(int code) noexcept {
  if (code != MPI_SUCCESS) return;
  begun = true;
  start_recording();
  if (Recorder* const all = recorder()) prepare_report(*all);
}

void note::finalize() noexcept {
  if (Recorder* const all = stop_recording()) report(*all);
}

void note::abort() noexcept {
  if (stop_recording() != nullptr) tell_aborted();
}

}  // namespace halocline::profile

using namespace halocline::profile;

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  note::begin(code);
  return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  note::begin(code);
  return code;
}

int MPI_Finalize() {
  note::finalize();
  return PMPI_Finalize();
}

int MPI_Abort(MPI_Comm comm, int code) {
  note::abort();
  return PMPI_Abort(comm, code);
}

}  // extern "C"
