// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/exported_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device/detail/process.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {

ExportedMemory exported_of(const Device& device, const std::byte* data, std::size_t bytes, std::size_t allocated) {
  ExportedMemory exported;
  exported.process = process_identity();
  exported.address = reinterpret_cast<std::uintptr_t>(data);
  exported.bytes = bytes;
  exported.allocated = allocated;
  exported.owner = handle_of_descriptor(-1);
  const std::string& uuid = device.info().uuid;
  std::copy_n(uuid.begin(), std::min(uuid.size(), exported.uuid.size() - 1), exported.uuid.begin());
  return exported;
}

void export_legacy(const Device& device, const std::byte* data, ExportedMemory& exported) {
  cudaIpcMemHandle_t ipc{};
  static_assert(sizeof ipc == sizeof exported.handle);
  const CurrentDevice current(device.context());
  const CaptureAside aside;
  const cudaError_t status = cudaIpcGetMemHandle(&ipc, const_cast<std::byte*>(data));
  if (status != cudaSuccess) {
    (void)cudaGetLastError();
    refuse_export(device, "cudaIpcGetMemHandle: " + describe(status));
  }
  std::memcpy(exported.handle.data(), &ipc, sizeof ipc);
}

void refuse_export(const Device& device, const std::string& why) {
  throw CapabilityError(fmt::format("memory of {} cannot be exported: {}", device.info().uuid, why));
}

}  // namespace halocline::device::cuda
