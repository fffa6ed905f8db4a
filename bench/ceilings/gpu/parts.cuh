// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ceilings/ceilings.hpp"
#include "support/cuda.cuh"

namespace halocline::bench {

/// Memory of each GPU: copies within it.
void measure_memory(Ceilings& ceilings);
/// Memory of the first GPU: thin halos at the ends of rows, and a contiguous copy of as many bytes.
void measure_row_ends(Ceilings& ceilings);
/// GPU to GPU: copy engines, and kernels' stores and loads by number of blocks.
void measure_links(Ceilings& ceilings);
/// GPU to pinned host memory and back.
void measure_host_links(Ceilings& ceilings);
/// Launches, graphs, small copies, events, flags.
void measure_latencies(Ceilings& ceilings);

/// Copies 16 bytes a lane with four loads under way; any of the two sides may be a peer's. bytes: a multiple of 16.
void copy_by_kernel(void* target, const void* source, std::size_t bytes, int blocks, cudaStream_t stream);

}  // namespace halocline::bench
