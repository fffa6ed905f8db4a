// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/box.hpp"
#include "halocline/stencil.hpp"

#pragma GCC visibility push(default)
namespace halocline::overlap {

/// How a kernel updates a field.
enum class Update : int {
  double_buffered,  ///< reads one buffer, writes another: cells being sent are not touched
  in_place,         ///< writes what it reads: the cells being sent must wait until they are sent
};

/// Halo cells beyond an open boundary. side: which end of the dimension.
struct OpenBoundaryBox {
  Dim dim;
  Side side;
  Box box;
};

}  // namespace halocline::overlap
#pragma GCC visibility pop
