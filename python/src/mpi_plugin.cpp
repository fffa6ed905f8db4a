// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_plugin.hpp"

#include <halocline/environment.hpp>

#include "communicators.hpp"

extern "C" [[gnu::visibility("default")]] halocline::python::MpiPlugin halocline_mpi_plugin(void (*wait_hook)());

halocline::python::MpiPlugin halocline_mpi_plugin(void (*wait_hook)()) {
  halocline::set_wait_hook(wait_hook);
  return {&halocline::python::mpi_library, &halocline::python::from_fortran_handle};
}
