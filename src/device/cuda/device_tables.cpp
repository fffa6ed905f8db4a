#include "device/cuda/device_tables.hpp"

namespace halocline::device::cuda {

void* DeviceTables::to_device(const Device& device) const {
  if (bytes_.empty()) return nullptr;
  void* memory = nullptr;
  check(cudaMallocAsync(&memory, bytes_.size(), device.aside()), "cudaMallocAsync");
  try {
    check(cudaMemcpyAsync(memory, bytes_.data(), bytes_.size(), cudaMemcpyHostToDevice, device.aside()),
          "cudaMemcpyAsync");
    check(cudaStreamSynchronize(device.aside()), "cudaStreamSynchronize");
  } catch (...) {
    log_failure(cudaFreeAsync(memory, device.aside()), "cudaFreeAsync");
    throw;
  }
  return memory;
}

void DeviceTables::free(Devices& devices, int ordinal, void* memory) {
  if (memory == nullptr || devices.failures().of(ordinal) != nullptr) return;
  const Device& device = devices.at(ordinal);
  const CurrentDevice current(device.context());
  const CaptureAside aside;
  log_failure(cudaFreeAsync(memory, device.aside()), "cudaFreeAsync");
}

}  // namespace halocline::device::cuda
