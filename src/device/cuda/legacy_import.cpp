// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/legacy_import.hpp"

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

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
  static std::map<Opened, std::weak_ptr<LegacyMemory>> opened;
  const std::lock_guard held(mutex);
  std::erase_if(opened, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<LegacyMemory>& known = opened[{device.context(), memory.handle}];
  std::shared_ptr<LegacyMemory> imported = known.lock();
  if (!imported) known = imported = std::make_shared<LegacyMemory>(device.context(), memory);
  return imported;
}

}  // namespace halocline::device::cuda
