// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "profile/notes.hpp"

// Fortran passes the address of each argument, and the error code as one more, the last. It may be absent in `use mpi_f08`,
// then it is null.
namespace halocline::profile::fortran {

static_assert(std::is_same_v<MPI_Fint, int>, "arrays of Fortran's integers are read as C's");

/// A buffer, or C's MPI_IN_PLACE or MPI_BOTTOM for Fortran's, which are variables.
[[nodiscard]] const void* buffer_of(const void* address) noexcept;

/// What a parameter of type T in C has at an address from Fortran.
template <typename T>
[[nodiscard]] T from_fortran(void* address) noexcept {
  if constexpr (std::is_same_v<T, note::TypeList>) {
    return note::TypeList::of_fortran(static_cast<const MPI_Fint*>(address));
  } else if constexpr (std::is_same_v<T, const void*>) {
    return buffer_of(address);
  } else if constexpr (std::is_same_v<T, const int*> || std::is_same_v<T, const MPI_Aint*>) {
    return static_cast<T>(address);
  } else if constexpr (std::is_integral_v<T>) {  // handles, too, where they are numbers
    return *static_cast<const T*>(address);
  } else if constexpr (std::is_same_v<T, MPI_Comm>) {
    return PMPI_Comm_f2c(*static_cast<const MPI_Fint*>(address));
  } else if constexpr (std::is_same_v<T, MPI_Datatype>) {
    return PMPI_Type_f2c(*static_cast<const MPI_Fint*>(address));
  } else if constexpr (std::is_same_v<T, MPI_Op>) {
    return PMPI_Op_f2c(*static_cast<const MPI_Fint*>(address));
  } else if constexpr (std::is_same_v<T, MPI_Request>) {
    return PMPI_Request_f2c(*static_cast<const MPI_Fint*>(address));
  } else {
    static_assert(std::is_same_v<T, MPI_Win>);
    return PMPI_Win_f2c(*static_cast<const MPI_Fint*>(address));
  }
}

/// The arguments of one call from Fortran.
template <std::size_t number>
using Addresses = std::array<void*, number>;

template <std::size_t number>
void forward(void* function, const Addresses<number>& addresses) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    reinterpret_cast<void (*)(decltype(static_cast<void>(i), static_cast<void*>(nullptr))...)>(function)(
        addresses[i]...);
  }
  (std::make_index_sequence<number>());
}

/// Returns the error code, whether or not the caller wants it.
template <std::size_t number>
int forward_and_tell(void* function, Addresses<number> addresses) {
  MPI_Fint own = MPI_SUCCESS;
  if (addresses.back() == nullptr) addresses.back() = &own;
  forward(function, addresses);
  return *static_cast<const MPI_Fint*>(addresses.back());
}

/// Calls a note with its parameters from the first addresses.
template <typename... T, std::size_t number>
void tell(void (*noted)(T...) noexcept, const Addresses<number>& addresses) noexcept {
  static_assert(sizeof...(T) < number);
  [&]<std::size_t... i>(std::index_sequence<i...>) { noted(from_fortran<T>(addresses[i])...); }
  (std::index_sequence_for<T...>());
}

/// Whether a call of C has what a note takes as its first parameters.
template <typename... T, typename... C>
consteval bool begins_with(void (*)(T...) noexcept, int (*)(C...)) {
  if constexpr (sizeof...(T) > sizeof...(C)) {
    return false;
  } else {
    return []<std::size_t... i>(std::index_sequence<i...>) {
      return (
          std::is_convertible_v<std::tuple_element_t<i, std::tuple<C...>>, std::tuple_element_t<i, std::tuple<T...>>> &&
          ...);
    }
    (std::index_sequence_for<T...>());
  }
}
template <typename... C>
consteval std::size_t parameters(int (*)(C...)) {
  return sizeof...(C);
}

}  // namespace halocline::profile::fortran
