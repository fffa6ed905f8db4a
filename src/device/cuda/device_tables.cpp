// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/device_tables.hpp"

namespace halocline::device::cuda {

void* DeviceTables::to_device(Devices& devices, int device) const {
  if (bytes_.empty()) return nullptr;
  const Device& on = devices.at(device);
  void* memory = on.tables().allocate(bytes_.size(), on.aside(), {device, bytes_.size(), Purpose::tables});
  try {
    check(cudaMemcpyAsync(memory, bytes_.data(), bytes_.size(), cudaMemcpyHostToDevice, on.aside()), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(on.aside()), "cudaStreamSynchronize");
  } catch (...) {
    on.tables().free(memory, on.aside());
    throw;
  }
  return memory;
}

}  // namespace halocline::device::cuda
