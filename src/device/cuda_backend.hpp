// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/backend.hpp"

namespace halocline::device {

/// The GPUs that this process sees, by CUDA's ordinals, without starting work on them; empty if the backend is not built
/// in, or there is no driver or no GPU. Never throws.
[[nodiscard]] std::vector<DeviceInfo> cuda_devices() noexcept;

/// What a search for GPUs found, and why it found none.
struct FoundGpus {
  std::vector<DeviceInfo> devices;  ///< as of cuda_devices()
  std::exception_ptr failure;       ///< set if there are none: what make_cuda_backend() would have thrown
  std::string warning;  ///< for a caller that goes on without GPUs; empty if the machine has no driver or no GPU
};

/// Throws std::bad_alloc alone.
[[nodiscard]] FoundGpus find_gpus();

/// How the driver shares a GPU among processes.
struct GpuSharing {
  enum class Mode : int { shared, exclusive, prohibited };
  Mode mode = Mode::shared;  ///< the compute mode: any number of processes, one, or none may use the GPU
  bool mps = false;          ///< this process's work goes through the Multi-Process Service
};
/// device: CUDA's ordinal. Throws CapabilityError if the backend is not built in.
[[nodiscard]] GpuSharing gpu_sharing(int device);

/// How memory that other processes map is allocated and exported: HALOCLINE_DEVICE_MEMORY.
enum class MemoryExport : int {
  automatic,  ///< by fabric handles where a trial of them succeeds, otherwise as ipc
  ipc,        ///< cudaMalloc(), legacy IPC handles: within a host
  fd,         ///< virtual memory, file descriptors: within a host
  fabric      ///< virtual memory, fabric handles: as far as NVLink reaches
};

struct CudaOptions {
  /// CUDA's ordinals of the GPUs that the backend drives, each once; its own ordinals count them in this order. Empty:
  /// all that the process sees.
  std::vector<int> devices;
  /// Whether to forbid peer access from one device to another although the hardware has it; empty: never. For measurements
  /// and tests.
  std::function<bool(int from, int to)> peer_access{};
  /// Empty: HALOCLINE_DEVICE_MEMORY.
  std::optional<MemoryExport> memory_export{};
};

/// Throws CapabilityError if the backend is not built in (with the option that builds it) or no driver is found,
/// and InvalidArgument for a device that does not exist.
[[nodiscard]] std::shared_ptr<Backend> make_cuda_backend(const CudaOptions& options);

}  // namespace halocline::device
