// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/physical_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "device/cuda/driver.hpp"

namespace halocline::device::cuda {
namespace {

CUmemAllocationProp properties_of(const Device& device, CUmemAllocationHandleType type) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = type;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device.ordinal();
  int network = 0;
  require(memory_driver().attribute(&network, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
                                    device.ordinal()),
          "cuDeviceGetAttribute");
  properties.allocFlags.gpuDirectRDMACapable = network != 0 ? 1 : 0;  // as of cudaMalloc(), for the user's own MPI
  return properties;
}

}  // namespace

CUmemAllocationHandleType handle_type(ExportKind kind) {
  return kind == ExportKind::fabric ? CU_MEM_HANDLE_TYPE_FABRIC : CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
}

PhysicalMemory PhysicalMemory::create(const Device& device, std::size_t bytes, ExportKind kind) {
  const CurrentDevice current(device.context());
  const CaptureAside aside;
  const CUmemAllocationProp properties = properties_of(device, handle_type(kind));
  std::size_t unit = 0;
  require(memory_driver().granularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
          "cuMemGetAllocationGranularity");
  const std::size_t units = std::max<std::size_t>(bytes, 1) / unit + (bytes % unit != 0 || bytes == 0 ? 1 : 0);
  if (units > std::numeric_limits<std::size_t>::max() / unit)
    throw DriverError(CUDA_ERROR_OUT_OF_MEMORY, "cuMemCreate");
  CUmemGenericAllocationHandle memory = 0;
  require(memory_driver().create(&memory, units * unit, &properties, 0), "cuMemCreate");
  return {memory, units * unit};
}

PhysicalMemory PhysicalMemory::import(const ExportedMemory& memory) {
  const auto from = [&](void* os_handle) {
    CUmemGenericAllocationHandle imported = 0;
    require(memory_driver().import_memory(&imported, os_handle, handle_type(memory.kind)),
            "cuMemImportFromShareableHandle");
    return PhysicalMemory(imported, memory.allocated);
  };
  if (memory.kind == ExportKind::fabric) {
    CUmemFabricHandle fabric{};
    static_assert(sizeof fabric == sizeof memory.handle);
    std::memcpy(&fabric, memory.handle.data(), sizeof fabric);
    return from(&fabric);
  }
  const OwnDescriptor taken = take_descriptor(memory.owner);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver takes a descriptor in place of a pointer
  return from(reinterpret_cast<void*>(static_cast<std::intptr_t>(taken.get())));
}

PhysicalMemory PhysicalMemory::mapped_at(const std::byte* address, std::size_t bytes) {
  CUmemGenericAllocationHandle memory = 0;
  require(memory_driver().retain(&memory, const_cast<std::byte*>(address)), "cuMemRetainAllocationHandle");
  return {memory, bytes};
}

PhysicalMemory::~PhysicalMemory() {
  if (memory_ != 0) log_driver_failure(memory_driver().release(memory_), "cuMemRelease");
}

PhysicalMemory::PhysicalMemory(PhysicalMemory&& other) noexcept
    : memory_(std::exchange(other.memory_, 0)), bytes_(other.bytes_) {}

CUmemAllocationProp PhysicalMemory::properties() const {
  CUmemAllocationProp properties{};
  require(memory_driver().properties(&properties, memory_), "cuMemGetAllocationPropertiesFromHandle");
  return properties;
}

ExportedPieces::ExportedPieces(std::span<const PhysicalMemory> pieces, ExportKind kind) : kind_(kind) {
  const auto export_to = [kind](const PhysicalMemory& piece, void* handle) {
    require(memory_driver().export_memory(handle, piece.get(), handle_type(kind), 0), "cuMemExportToShareableHandle");
  };
  descriptors_.reserve(pieces.size());
  for (const PhysicalMemory& piece : pieces) {
    if (kind == ExportKind::fabric) {
      export_to(piece, &fabric_.emplace_back());
    } else {
      int fd = -1;
      export_to(piece, &fd);
      descriptors_.emplace_back(fd);
    }
  }
}

void ExportedPieces::describe(std::size_t piece, ExportedMemory& exported) const {
  exported.kind = kind_;
  if (kind_ == ExportKind::fabric) {
    std::memcpy(exported.handle.data(), &fabric_[piece], sizeof exported.handle);
  } else {
    exported.owner = handle_of_descriptor(descriptors_[piece].get());
  }
}

}  // namespace halocline::device::cuda
