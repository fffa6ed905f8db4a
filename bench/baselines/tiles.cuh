// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "baselines/copies.hpp"

namespace halocline::bench {

/// For kernels that copy and signal: tiles [begin, end) of a job, dealt to the grid's thread blocks in turns, as many at a
/// time as a block has threads for.
__device__ inline void copy_tiles(const Job& job, std::uint32_t begin, std::uint32_t end) {
  const std::uint32_t at_once = blockDim.x / items_a_tile;
  const std::uint32_t first = begin + blockIdx.x * at_once + threadIdx.x / items_a_tile;
  for (std::uint32_t tile = first; tile < end; tile += gridDim.x * at_once) {
    copy_of_tile(job, tile, threadIdx.x % items_a_tile);
  }
}

}  // namespace halocline::bench
