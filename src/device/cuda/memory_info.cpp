// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/memory_info.hpp"

#include "device/cuda/runtime.hpp"

namespace halocline::device::cuda {
namespace {

/// -1 if the backend does not drive the GPU.
int device_of(const Devices& devices, int cuda_ordinal) {
  for (int device = 0; device < devices.count(); ++device) {
    if (devices.at(device).ordinal() == cuda_ordinal) return device;
  }
  return -1;
}

}  // namespace

MemoryInfo describe_memory(const Devices& devices, const void* address) {
  const CurrentDevice current(devices.at(0).context());
  const CaptureAside aside;
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, address), "cudaPointerGetAttributes");
  switch (attributes.type) {
    case cudaMemoryTypeHost: return {MemoryKind::pinned, -1, false};
    case cudaMemoryTypeManaged: return {MemoryKind::managed, -1, false};
    case cudaMemoryTypeDevice: break;
    default: return {MemoryKind::host, -1, false};
  }
  const AllocationFacts facts = allocation_facts(address);
  const MemoryKind kind = facts.exportable        ? MemoryKind::device
                          : facts.pool != nullptr ? MemoryKind::pool
                                                  : MemoryKind::mapped;
  return {kind, device_of(devices, attributes.device), facts.exportable};
}

}  // namespace halocline::device::cuda
