// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/successor.hpp"

#include <gtest/gtest.h>

#include <nv/target>

namespace halocline::device::test {
namespace {

__global__ void succeed(Successor* successor, const std::uint64_t* word) {
  *static_cast<volatile std::uint32_t*>(&successor->started) = 1;
  __threadfence_system();
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();))
  successor->read = *word;
}

}  // namespace

void load_successor() {
  cudaFuncAttributes attributes{};
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, succeed), cudaSuccess);
}

void launch_successor(void* stream, Successor* successor, const std::uint64_t* word) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(1);
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = &early;
  config.numAttrs = 1;
  EXPECT_EQ(cudaLaunchKernelEx(&config, succeed, successor, word), cudaSuccess);
}

}  // namespace halocline::device::test
