// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "halocline/box.hpp"

namespace apps::cuda {

/// Calls f(y, z) for the rows of a box that are this block's, by blockIdx.x.
template <typename F>
__device__ void for_rows(const halocline::Box& box, F&& f) {
  const std::int64_t rows_y = box.hi.y - box.lo.y;
  const std::int64_t rows = rows_y * (box.hi.z - box.lo.z);
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) f(box.lo.y + row % rows_y, box.lo.z + row / rows_y);
}

}  // namespace apps::cuda
