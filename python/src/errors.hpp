// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace halocline::python {

namespace nb = nanobind;

/// For the whole module: errors of the library become Python's.
void register_errors();

}  // namespace halocline::python
