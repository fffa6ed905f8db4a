// SPDX-License-Identifier: BSD-3-Clause
// Stands in front of the functions of the C library that the table of the fault points has, and of syscall() for futexes. No header
// that declares them is included: parameters are those of the binary interface, and a variable argument is one of them.
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

#include "strike.hpp"

using std::size_t;
using ssize_t = long;
using off_t = long;
struct FILE;

#define FAULT(type, name, parameters, arguments, failed, error)                       \
  extern "C" [[gnu::visibility("default")]] type name parameters {                    \
    static constinit losses::Point point{#name};                                      \
    if constexpr (losses::counted(#name)) losses::count(losses::Kind::system, #name); \
    return reinterpret_cast<type(*) parameters>(losses::next_of(point)) arguments;    \
  }
#include "faults/interposer/system_calls.inc"

extern "C" [[gnu::visibility("default")]] long syscall(long number, long a, long b, long c, long d, long e, long f) {
  static constinit losses::Point point{"syscall"};
  if (number == SYS_futex) losses::count(losses::Kind::futex, "futex");
  return reinterpret_cast<long (*)(long, long, long, long, long, long, long)>(losses::next_of(point))(number, a, b, c,
                                                                                                      d, e, f);
}
