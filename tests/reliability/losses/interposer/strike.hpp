// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace losses {

/// What is counted. Steps are the calls of losses_step(), which the program makes in its own code, between two calls of Halocline.
enum class Kind : int { step, mpi, system, futex };

/// A function in front of which this library stands. Objects of static storage.
struct Point {
  const char* name;
  void* next = nullptr;
};

/// Counts a call that is about to be made, by any library of the process, after losses_begin(). If it is the call of LOSSES_AT, this
/// process is killed or stopped here, or never returns from here.
void count(Kind kind, const char* name);

/// The function of that name behind this library.
[[nodiscard]] void* next_of(Point& point);

/// Whether calls of the function are counted. Calls that a wait repeats, or that a progress thread makes, are not: their number differs
/// from run to run.
[[nodiscard]] constexpr bool counted(const char* name) {
  constexpr const char* repeated[] = {"MPI_Test",
                                      "MPI_Testsome",
                                      "MPI_Iprobe",
                                      "MPI_Initialized",
                                      "MPI_Finalized",
                                      "read",
                                      "write",
                                      "writev",
                                      "poll",
                                      "fcntl",
                                      "close",
                                      "kill",
                                      "sched_getaffinity",
                                      "sched_setaffinity",
                                      "sysconf",
                                      "fwrite",
                                      "fputs",
                                      "fputc",
                                      "fflush",
                                      "ioctl"};
  for (const char* other : repeated) {
    const char* one = name;
    while (*one != '\0' && *one == *other) ++one, ++other;
    if (*one == *other) return false;
  }
  return true;
}

}  // namespace losses
