// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/stream_memory.hpp"

#include <cuda.h>

namespace halocline::bench {
namespace {

using Operation = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned);

/// A function of the driver, looked up at run time so that the program starts without a driver.
void* driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found), name);
  if (found != cudaDriverEntryPointSuccess) throw CapabilityError(std::string("the driver has no ") + name);
  return function;
}

void enqueue(void* operation, cudaStream_t stream, const std::uint32_t* flag, std::uint32_t value, unsigned flags,
             const char* what) {
  const CUresult status =
      reinterpret_cast<Operation>(operation)(stream, reinterpret_cast<CUdeviceptr>(flag), value, flags);
  if (status != CUDA_SUCCESS) throw DeviceError(std::string(what) + ": error " + std::to_string(status));
}

}  // namespace

StreamMemory::StreamMemory()
    : write_(driver_function("cuStreamWriteValue32")), wait_(driver_function("cuStreamWaitValue32")) {}

void StreamMemory::write(cudaStream_t stream, std::uint32_t* flag, std::uint32_t value) const {
  enqueue(write_, stream, flag, value, CU_STREAM_WRITE_VALUE_DEFAULT, "cuStreamWriteValue32");
}

void StreamMemory::wait(cudaStream_t stream, const std::uint32_t* flag, std::uint32_t value) const {
  enqueue(wait_, stream, flag, value, CU_STREAM_WAIT_VALUE_EQ, "cuStreamWaitValue32");
}

}  // namespace halocline::bench
