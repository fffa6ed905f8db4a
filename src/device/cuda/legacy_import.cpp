// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/legacy_import.hpp"

#include <array>
#include <cstring>
#include <mutex>
#include <utility>

#include "core/shared_values.hpp"
#include "device/cuda/runtime.hpp"

namespace halocline::device::cuda {

LegacyMemory::LegacyMemory(Context context, const ExportedMemory& memory) : context_(context) {
  const CurrentDevice current(context_);
  const CaptureAside aside;
  cudaIpcMemHandle_t handle{};
  static_assert(sizeof handle == sizeof memory.handle);
  std::memcpy(&handle, memory.handle.data(), sizeof handle);
  check(cudaIpcOpenMemHandle(&data_, handle, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
}

LegacyMemory::~LegacyMemory() {
  const CurrentDevice current(context_, std::nothrow);
  const CaptureAside aside;
  log_failure(cudaIpcCloseMemHandle(data_), "cudaIpcCloseMemHandle");
}

std::shared_ptr<LegacyMemory> import_by_handle(const Device& device, const ExportedMemory& memory) {
  using Opened = std::pair<Context, std::array<unsigned char, 64>>;
  static std::mutex mutex;
  static SharedValues<Opened, LegacyMemory> opened;
  const std::lock_guard held(mutex);
  return opened.get({device.context(), memory.handle},
                    [&] { return std::make_shared<LegacyMemory>(device.context(), memory); });
}

}  // namespace halocline::device::cuda
