// SPDX-License-Identifier: BSD-3-Clause
#include "memory/used.hpp"

#include <cstddef>

#include "support/cuda.cuh"

namespace halocline::bench {

std::vector<double> bytes_in_use() {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  std::vector<double> bytes;
  for (int device = 0; device < devices; ++device) {
    std::size_t free = 0;
    std::size_t all = 0;
    use_device(device);
    check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
    bytes.push_back(static_cast<double>(all - free));
  }
  return bytes;
}

}  // namespace halocline::bench
