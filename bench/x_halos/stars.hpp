// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/halocline.hpp"

namespace halocline::bench {

/// How a kernel reads the cells.
struct Reads {
  bool split;  ///< by a SplitView, which needs no halos in the rows
  bool
      staged;  ///< rows are brought into shared memory; only then halos in x are read by few threads, and by SplitView::row()
};

/// Enqueues the mean of each owned cell and its neighbours up to a distance of 1 or 3 in each dimension (7 and 19 cells), from the current
/// buffer to the next one. T: float, double. Throws InvalidArgument unless the subdomain has a multiple of 128 cells in x, and of 2 in y.
template <typename T>
void enqueue_star(const Subdomain& subdomain, Field<T> field, int radius, Reads reads);

}  // namespace halocline::bench
