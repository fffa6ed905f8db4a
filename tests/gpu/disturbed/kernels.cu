// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/disturbed/kernels.hpp"

namespace halocline::test {
namespace {

__global__ void trap_kernel() { asm volatile("trap;"); }

}  // namespace

void trap(void* native) { trap_kernel<<<1, 1, 0, static_cast<cudaStream_t>(native)>>>(); }

}  // namespace halocline::test
