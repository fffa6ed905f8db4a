// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi_library.hpp"

#include "comm/detail/runtime.hpp"

namespace halocline::comm {

MpiLibrary mpi_library() {
  MpiLibrary found;
  found.built = runtime::built();
  if (!found.built) return found;
  found.version = runtime::library();
  found.mpiexec = runtime::mpiexec();
  if (!runtime::active()) return found;
  const runtime::ThreadLevel level = runtime::thread_level();
  found.thread_level = level.name;
  found.any_thread = level.any_thread;
  return found;
}

}  // namespace halocline::comm
