// SPDX-License-Identifier: BSD-3-Clause
// Which of the mutants that are compiled into a program is the active one. Copied into the changed tree as src/core/mutant.hpp.
#pragma once

#ifdef __CUDACC__

// In kernels, and in the code of the host beside them: a constant of the program, which is replaced in a copy of it (kinds.py).
#define HALOCLINE_MUTANTS_EVERYWHERE __host__ __device__

namespace halocline::mutants {

static __constant__ int chosen_on_device = 0x7e57c0de;
static volatile int chosen_on_host = 0x7e57c0de;

HALOCLINE_MUTANTS_EVERYWHERE inline bool active(int number) {
#ifdef __CUDA_ARCH__
  int chosen;  // by assembly, as the compiler would take the value that it sees
  asm("ld.const.s32 %0, [%1];" : "=r"(chosen) : "l"(__cvta_generic_to_constant(&chosen_on_device)));
  return number == chosen;
#else
  return number == chosen_on_host;
#endif
}

}  // namespace halocline::mutants

#else

// On the host: MUTANT in the environment. MUTANT_REACHED is a file with a byte for each number, which becomes 1 when a process reaches the mutant's place.
#define HALOCLINE_MUTANTS_EVERYWHERE

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace halocline::mutants {

inline constinit bool asked = false;
inline constinit int chosen = 0;
inline constinit unsigned char* reached = nullptr;
inline constinit long places = 0;

/// Before static objects are constructed; each file has one, the first does the work.
[[gnu::constructor(101)]] static void choose() {
  if (asked) return;
  asked = true;
  if (const char* text = getenv("MUTANT")) chosen = atoi(text);
  const char* path = getenv("MUTANT_REACHED");
  const int file = path == nullptr ? -1 : open(path, O_RDWR | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) return;
  // A mapping, as processes may end by a signal or by _exit.
  void* at = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at != MAP_FAILED) {
    reached = static_cast<unsigned char*>(at);
    places = status.st_size;
  }
  close(file);
}

inline bool active(int number) {
  if (number < places) __atomic_store_n(reached + number, static_cast<unsigned char>(1), __ATOMIC_RELAXED);
  return number == chosen;
}

}  // namespace halocline::mutants

#endif

namespace halocline::mutants {

/// In constexpr functions and in initialisers of members: constant expressions evaluate the original.
HALOCLINE_MUTANTS_EVERYWHERE constexpr bool active_unless_constant(int number) {
  if (__builtin_is_constant_evaluated()) return false;
  return active(number);
}

}  // namespace halocline::mutants
