// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace halocline::python {

/// Handlers of XLA's foreign function interface by its name of the platform, "cpu" and, in builds with CUDA, "CUDA": a pair each, exchange and accumulate.
/// Their operands are a dense array for each subdomain of this rank and one number, which orders calls; so are their results.
/// Attribute `field`: the key of a field (_dense.py). Empty in builds without the headers of jaxlib.
[[nodiscard]] nanobind::dict xla_handlers();

}  // namespace halocline::python
