// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/foreign_descriptor.hpp"
#include "device/backend.hpp"
#include "device/cuda/devices.hpp"
#include "device/cuda/memory_export.hpp"

namespace halocline::device::cuda {

/// The bytes of a MemoryHandle.
struct ExportedMemory {
  static constexpr const char* backend = "CUDA";
  static constexpr std::uint64_t expected_magic = 0x3230'6164'7563'6c68;  ///< "hlcuda02"
  std::uint64_t magic = expected_magic;
  std::uint64_t process = 0;    ///< process_identity() of the exporter
  std::uint64_t address = 0;    ///< in the exporter
  std::uint64_t bytes = 0;      ///< of the buffer
  std::uint64_t allocated = 0;  ///< bytes of the whole allocation
  DescriptorHandle owner;       ///< of ExportKind::fd; its host is of all kinds
  ExportKind kind = ExportKind::ipc;
  std::uint32_t unused = 0;                ///< no padding: handles are compared byte by byte
  std::array<unsigned char, 64> handle{};  ///< a cudaIpcMemHandle_t or a CUmemFabricHandle
  std::array<char, 64> uuid{};             ///< of the exporter's device
};

[[nodiscard]] std::unique_ptr<Buffer> make_buffer(std::shared_ptr<Devices> devices, int device, std::size_t bytes);
/// Exported as Devices::exports() has it for the device. Throws CapabilityError if the device refuses the setting.
[[nodiscard]] std::unique_ptr<ShareableBuffer> make_shareable(std::shared_ptr<Devices> devices, int device,
                                                              std::size_t bytes);
/// The same in memory of cudaMalloc(), whatever the setting.
[[nodiscard]] std::unique_ptr<ShareableBuffer> make_legacy_shareable(std::shared_ptr<Devices> devices, int device,
                                                                     std::size_t bytes);
[[nodiscard]] std::unique_ptr<Buffer> make_pinned(std::shared_ptr<Devices> devices, std::size_t bytes);
/// In the exporting process the exporter's own address.
[[nodiscard]] std::unique_ptr<Mapping> make_mapping(std::shared_ptr<Devices> devices, int device,
                                                    const ExportedMemory& memory);
[[nodiscard]] std::unique_ptr<Registration> make_registration(std::shared_ptr<Devices> devices, const std::byte* memory,
                                                              std::size_t bytes);

}  // namespace halocline::device::cuda
