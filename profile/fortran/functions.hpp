// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/fortran/next_call.hpp"
#include "profile/fortran/ways.hpp"

// Definitions of functions by Fortran's names. All arguments are addresses.
#define HALOCLINE_PARAMETERS_1 void* a1
#define HALOCLINE_PARAMETERS_2 HALOCLINE_PARAMETERS_1, void* a2
#define HALOCLINE_PARAMETERS_3 HALOCLINE_PARAMETERS_2, void* a3
#define HALOCLINE_PARAMETERS_4 HALOCLINE_PARAMETERS_3, void* a4
#define HALOCLINE_PARAMETERS_5 HALOCLINE_PARAMETERS_4, void* a5
#define HALOCLINE_PARAMETERS_6 HALOCLINE_PARAMETERS_5, void* a6
#define HALOCLINE_PARAMETERS_7 HALOCLINE_PARAMETERS_6, void* a7
#define HALOCLINE_PARAMETERS_8 HALOCLINE_PARAMETERS_7, void* a8
#define HALOCLINE_PARAMETERS_9 HALOCLINE_PARAMETERS_8, void* a9
#define HALOCLINE_PARAMETERS_10 HALOCLINE_PARAMETERS_9, void* a10
#define HALOCLINE_PARAMETERS_11 HALOCLINE_PARAMETERS_10, void* a11
#define HALOCLINE_PARAMETERS_12 HALOCLINE_PARAMETERS_11, void* a12
#define HALOCLINE_PARAMETERS_13 HALOCLINE_PARAMETERS_12, void* a13
#define HALOCLINE_PARAMETERS_14 HALOCLINE_PARAMETERS_13, void* a14
#define HALOCLINE_ARGUMENTS_1 a1
#define HALOCLINE_ARGUMENTS_2 HALOCLINE_ARGUMENTS_1, a2
#define HALOCLINE_ARGUMENTS_3 HALOCLINE_ARGUMENTS_2, a3
#define HALOCLINE_ARGUMENTS_4 HALOCLINE_ARGUMENTS_3, a4
#define HALOCLINE_ARGUMENTS_5 HALOCLINE_ARGUMENTS_4, a5
#define HALOCLINE_ARGUMENTS_6 HALOCLINE_ARGUMENTS_5, a6
#define HALOCLINE_ARGUMENTS_7 HALOCLINE_ARGUMENTS_6, a7
#define HALOCLINE_ARGUMENTS_8 HALOCLINE_ARGUMENTS_7, a8
#define HALOCLINE_ARGUMENTS_9 HALOCLINE_ARGUMENTS_8, a9
#define HALOCLINE_ARGUMENTS_10 HALOCLINE_ARGUMENTS_9, a10
#define HALOCLINE_ARGUMENTS_11 HALOCLINE_ARGUMENTS_10, a11
#define HALOCLINE_ARGUMENTS_12 HALOCLINE_ARGUMENTS_11, a12
#define HALOCLINE_ARGUMENTS_13 HALOCLINE_ARGUMENTS_12, a13
#define HALOCLINE_ARGUMENTS_14 HALOCLINE_ARGUMENTS_13, a14

#define HALOCLINE_FORTRAN_FUNCTION(symbol, number, ...)                                                             \
  extern "C" void symbol(HALOCLINE_PARAMETERS_##number) {                                                           \
    static constinit NextCall next(#symbol);                                                                        \
    __VA_ARGS__::run(next.found_for(__builtin_return_address(0)), Addresses<number>{HALOCLINE_ARGUMENTS_##number}); \
  }

/// As a compiler with two underscores, or none, calls it.
#define HALOCLINE_FORTRAN_ALIAS(symbol, other, number) \
  extern "C" void other(HALOCLINE_PARAMETERS_##number) __attribute__((alias(#symbol)));

/// X for calls.hpp: mpif.h and `use mpi`.
#define HALOCLINE_FORTRAN_MPIF(name, number, ...)                \
  HALOCLINE_FORTRAN_FUNCTION(mpi_##name##_, number, __VA_ARGS__) \
  HALOCLINE_FORTRAN_ALIAS(mpi_##name##_, mpi_##name, number)     \
  HALOCLINE_FORTRAN_ALIAS(mpi_##name##_, mpi_##name##__, number)

/// X for calls.hpp: `use mpi_f08`, by the names that MPI's standard lays down (MPI 3.1, section 17.1.5).
#define HALOCLINE_FORTRAN_F08(name, number, ...) HALOCLINE_FORTRAN_FUNCTION(mpi_##name##_f08_, number, __VA_ARGS__)
