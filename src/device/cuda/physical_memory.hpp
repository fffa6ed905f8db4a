// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>

#include <cstddef>
#include <span>
#include <vector>

#include "core/foreign_descriptor.hpp"
#include "device/cuda/device.hpp"
#include "device/cuda/exported_memory.hpp"

namespace halocline::device::cuda {

/// Physical memory of a device (cuMemCreate), or one more reference to it. Owner; its destructor releases it, whichever device is
/// current. Mappings of it stay valid.
class PhysicalMemory {
 public:
  /// At least so many bytes of a device, which can be exported as `kind`. The contents are undefined. Throws DriverError.
  [[nodiscard]] static PhysicalMemory create(const Device& device, std::size_t bytes, ExportKind kind);
  /// What another process exported by ExportedPieces. Throws CapabilityError, DriverError.
  [[nodiscard]] static PhysicalMemory import(const ExportedMemory& memory);
  /// What is mapped at an address of this process; bytes: of the mapping. Throws DriverError.
  [[nodiscard]] static PhysicalMemory mapped_at(const std::byte* address, std::size_t bytes);
  ~PhysicalMemory();
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;
  PhysicalMemory(PhysicalMemory&& other) noexcept;
  PhysicalMemory& operator=(PhysicalMemory&&) = delete;

  [[nodiscard]] CUmemGenericAllocationHandle get() const { return memory_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// How it was created. Throws DriverError.
  [[nodiscard]] CUmemAllocationProp properties() const;

 private:
  PhysicalMemory(CUmemGenericAllocationHandle memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}

  CUmemGenericAllocationHandle memory_;
  std::size_t bytes_;
};

/// What the driver calls file descriptors and fabric handles.
[[nodiscard]] CUmemAllocationHandleType handle_type(ExportKind kind);

/// Pieces of physical memory as other processes import them, all in one way: by file descriptors, open for as long as this exists, or by
/// fabric handles. The physical memory may be released before.
class ExportedPieces {
 public:
  /// Throws DriverError.
  ExportedPieces(std::span<const PhysicalMemory> pieces, ExportKind kind);
  /// Sets the kind and the handle of a piece.
  void describe(std::size_t piece, ExportedMemory& exported) const;

 private:
  ExportKind kind_;
  std::vector<OwnDescriptor> descriptors_;
  std::vector<CUmemFabricHandle> fabric_;
};

}  // namespace halocline::device::cuda
