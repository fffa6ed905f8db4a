// SPDX-License-Identifier: BSD-3-Clause
// Of the mutants that are compiled into a program, MUTANT in the environment chooses one. MUTANT_REACHED is a file with a byte for each number,
// which becomes 1 when a process reaches the mutant's place. Copied into the changed tree as src/core/mutant.hpp.
#pragma once

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

/// In constexpr functions and in initialisers of members: constant expressions evaluate the original.
constexpr bool active_unless_constant(int number) {
  if (__builtin_is_constant_evaluated()) return false;
  return active(number);
}

}  // namespace halocline::mutants
