// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/backend.hpp"
#include "device/cuda/devices.hpp"

namespace halocline::device::cuda {

/// The bytes of a MemoryHandle.
struct ExportedMemory {
  static constexpr const char* backend = "CUDA";
  static constexpr std::uint64_t expected_magic = 0x3130'6164'7563'6c68;  ///< "hlcuda01"
  std::uint64_t magic = expected_magic;
  std::uint64_t process = 0;  ///< process_identity() of the exporter
  std::uint64_t address = 0;  ///< in the exporter
  std::uint64_t bytes = 0;
  cudaIpcMemHandle_t ipc{};
  std::array<char, 64> uuid{};  ///< of the exporter's device
};

[[nodiscard]] std::unique_ptr<Buffer> make_buffer(std::shared_ptr<Devices> devices, int device, std::size_t bytes);
[[nodiscard]] std::unique_ptr<ShareableBuffer> make_shareable(std::shared_ptr<Devices> devices, int device,
                                                              std::size_t bytes);
[[nodiscard]] std::unique_ptr<Buffer> make_pinned(std::shared_ptr<Devices> devices, std::size_t bytes);
/// In the exporting process the exporter's own address.
[[nodiscard]] std::unique_ptr<Mapping> make_mapping(std::shared_ptr<Devices> devices, int device,
                                                    const ExportedMemory& memory);
[[nodiscard]] std::unique_ptr<Registration> make_registration(std::shared_ptr<Devices> devices, const std::byte* memory,
                                                              std::size_t bytes);

}  // namespace halocline::device::cuda
