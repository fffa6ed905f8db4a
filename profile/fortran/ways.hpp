// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/fortran/arguments.hpp"

/// How a call from Fortran is counted and handed on: run(function of the MPI library, addresses).
namespace halocline::profile::fortran {

/// noted(first arguments), then the call. call: C's function, whose parameters the addresses must be.
template <auto noted, auto* call>
struct Counted {
  static_assert(begins_with(noted, call), "the note is another call's");
  template <std::size_t number>
  static void run(void* function, const Addresses<number>& addresses) {
    static_assert(number == parameters(call) + 1, "Fortran's call has one parameter more");
    tell(noted, addresses);
    forward(function, addresses);
  }
};

/// The call, then noted(first arguments), with the request that came of it.
template <auto noted, auto* call>
struct Planned {
  template <std::size_t number>
  static void run(void* function, const Addresses<number>& addresses) {
    static_assert(number == parameters(call) + 1, "Fortran's call has one parameter more");
    if (forward_and_tell(function, addresses) == MPI_SUCCESS) tell(noted, addresses);
  }
};

struct Begun {
  template <std::size_t number>
  static void run(void* function, const Addresses<number>& addresses) {
    note::begin(forward_and_tell(function, addresses));
  }
};

template <auto noted>
struct Ended {
  template <std::size_t number>
  static void run(void* function, const Addresses<number>& addresses) {
    noted();
    forward(function, addresses);
  }
};

struct Started {
  static void run(void* function, const Addresses<2>& addresses) {
    note::start(from_fortran<MPI_Request>(addresses[0]));
    forward(function, addresses);
  }
};

struct StartedAll {
  static void run(void* function, const Addresses<3>& addresses) {
    const int count = from_fortran<int>(addresses[0]);
    auto* const requests = static_cast<MPI_Fint*>(addresses[1]);
    for (int i = 0; i < count; ++i) note::start(from_fortran<MPI_Request>(requests + i));
    forward(function, addresses);
  }
};

struct Freed {
  static void run(void* function, const Addresses<2>& addresses) {
    note::request_free(from_fortran<MPI_Request>(addresses[0]));
    forward(function, addresses);
  }
};

}  // namespace halocline::profile::fortran
