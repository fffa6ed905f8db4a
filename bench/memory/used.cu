// SPDX-License-Identifier: BSD-3-Clause
#include "memory/used.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "halocline/error.hpp"

namespace halocline::bench {
namespace {

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw DeviceError(std::string(call) + ": " + cudaGetErrorString(status));
}

}  // namespace

std::vector<double> bytes_in_use() {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  std::vector<double> bytes;
  for (int device = 0; device < devices; ++device) {
    std::size_t free = 0;
    std::size_t all = 0;
    check(cudaSetDevice(device), "cudaSetDevice");
    check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
    bytes.push_back(static_cast<double>(all - free));
  }
  return bytes;
}

}  // namespace halocline::bench
