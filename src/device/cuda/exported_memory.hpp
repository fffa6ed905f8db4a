// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/foreign_descriptor.hpp"
#include "device/cuda/device.hpp"
#include "device/cuda/memory_export.hpp"

namespace halocline::device::cuda {

/// The bytes of a MemoryHandle.
struct ExportedMemory {
  static constexpr const char* backend = "CUDA";
  static constexpr std::uint64_t expected_magic = 0x3330'6164'7563'6c68;  ///< "hlcuda03"
  std::uint64_t magic = expected_magic;
  std::uint64_t process = 0;    ///< process_identity() of the exporter
  std::uint64_t address = 0;    ///< in the exporter
  std::uint64_t bytes = 0;      ///< of the buffer
  std::uint64_t allocated = 0;  ///< bytes of the whole allocation
  std::uint64_t pool = 0;       ///< of ExportKind::pool: what tells the exporter's pools from each other
  DescriptorHandle owner;       ///< of ExportKind::fd and pool; its host is of all kinds
  ExportKind kind = ExportKind::ipc;
  std::uint32_t of_user = 0;               ///< 1: the user's, whose access rights are not changed
  std::array<unsigned char, 64> handle{};  ///< a cudaIpcMemHandle_t, CUmemFabricHandle or cudaMemPoolPtrExportData
  std::array<char, 64> uuid{};             ///< of the exporter's device
};

/// What all kinds of handles have.
[[nodiscard]] ExportedMemory exported_of(const Device& device, const std::byte* data, std::size_t bytes,
                                         std::size_t allocated);
/// Sets the handle of memory of cudaMalloc(). Throws CapabilityError.
void export_legacy(const Device& device, const std::byte* data, ExportedMemory& exported);
[[noreturn]] void refuse_export(const Device& device, const std::string& why);

}  // namespace halocline::device::cuda
