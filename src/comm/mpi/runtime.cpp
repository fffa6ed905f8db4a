// SPDX-License-Identifier: BSD-3-Clause
#include "comm/detail/runtime.hpp"

#include <mpi.h>

#include <array>
#include <cstdlib>

#include "comm/detail/watchdog.hpp"
#include "comm/mpi/attendance.hpp"
#include "comm/mpi/check.hpp"
#include "comm/mpi/mpi_communicator.hpp"
#include "core/log.hpp"

namespace halocline::comm::runtime {

using mpi::check;

bool built() { return true; }

bool active() {
  int initialised = 0;
  check(MPI_Initialized(&initialised), "MPI_Initialized");
  return initialised != 0 && !finalised();
}

bool finalised() {
  int flag = 0;
  check(MPI_Finalized(&flag), "MPI_Finalized");
  return flag != 0;
}

std::string library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  return text.data();
}

std::string mpiexec() { return HALOCLINE_MPIEXEC; }

void initialise(int* argc, char*** argv, Duration timeout, AskedLevel level) {
  if (finalised()) throw CommunicationError("MPI was finalised already and cannot be initialised again");
  int provided = MPI_THREAD_SINGLE;
  {
    const Watchdog watchdog("MPI_Init_thread", timeout);
    // One thread at a time calls a RankGroup, not always the same one. With net, its thread calls a group of its own at the same time.
    const int asked = level == AskedLevel::multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
    check(MPI_Init_thread(argc, argv, asked, &provided), "MPI_Init_thread");
  }
  // A communicator's own handler does not receive all of its errors: Open MPI passes some errors of non-blocking
  // collectives to MPI_COMM_WORLD's, which would end the job.
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  if (provided < MPI_THREAD_SERIALIZED) {
    log(LogLevel::warning, "this MPI allows calls from the main thread only");
  }
}

int world_size() {
  int size = 0;
  check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  return size;
}

ThreadLevel thread_level() {
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  if (level == MPI_THREAD_MULTIPLE) return {"MPI_THREAD_MULTIPLE", true};
  if (level == MPI_THREAD_SERIALIZED) return {"MPI_THREAD_SERIALIZED", true};
  return {level == MPI_THREAD_FUNNELED ? "MPI_THREAD_FUNNELED" : "MPI_THREAD_SINGLE", false};
}

std::unique_ptr<RankGroup> world(Duration timeout) { return mpi::duplicate(MPI_COMM_WORLD, timeout); }

void attend() { mpi::attend(); }

bool any_poisoned() { return mpi::any_poisoned(); }

void finalise(Duration timeout) {
  const Watchdog watchdog("MPI_Finalize", timeout);
  check(MPI_Finalize(), "MPI_Finalize");
}

void abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace halocline::comm::runtime
