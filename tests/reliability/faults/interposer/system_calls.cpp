// SPDX-License-Identifier: BSD-3-Clause
// Defines each function of system_calls.inc, in front of the library that has it: a call fails as the table has it, or goes on.
// No header that declares them is included: parameters are those of the binary interface, and a variable argument is one of them.
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "plan.hpp"

using std::size_t;
using ssize_t = long;
using off_t = long;
struct FILE;
#define MAP_FAILED (reinterpret_cast<void*>(-1))
#ifndef EOF
#define EOF (-1)
#endif

namespace {

/// The C library's own errno, in a type that needs no header of it.
inline void set_errno(int value) {
  if (value != 0) errno = value;
}

}  // namespace

#define FAULT(type, name, parameters, arguments, failed, error)                    \
  extern "C" [[gnu::visibility("default")]] type name parameters {                 \
    static constinit faults::Point point{#name};                                   \
    if (faults::fails(point)) {                                                    \
      set_errno(error);                                                            \
      return failed;                                                               \
    }                                                                              \
    return reinterpret_cast<type(*) parameters>(faults::next_of(point)) arguments; \
  }
#include "system_calls.inc"
