// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/user_memory.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/foreign_descriptor.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/exported_memory.hpp"
#include "device/cuda/physical_memory.hpp"
#include "device/cuda/runtime.hpp"
#include "device/detail/exported.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

struct Extent {
  const std::byte* first = nullptr;
  std::size_t bytes = 0;
  [[nodiscard]] const std::byte* end() const { return first + bytes; }
};

/// The one that an address is in, by two attributes of pointers. Throws DriverError.
Extent extent_at(const std::byte* address, CUpointer_attribute start, CUpointer_attribute size) {
  CUdeviceptr first = 0;
  std::size_t bytes = 0;
  CUpointer_attribute asked[] = {start, size};
  void* answers[] = {&first, &bytes};
  require(driver().pointer_attributes(2, asked, answers, reinterpret_cast<CUdeviceptr>(address)),
          "cuPointerGetAttributes");
  // NOLINTNEXTLINE(performance-no-int-to-ptr): CUdeviceptr is an address
  return {reinterpret_cast<const std::byte*>(first), bytes};
}

Extent allocation_at(const std::byte* address) {
  return extent_at(address, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE);
}

/// What one call of cuMemMap() mapped. Ranges of allocations, as of cuMemGetAddressRange(), are defined for cudaMalloc() alone.
Extent mapping_at(const std::byte* address) {
  return extent_at(address, CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, CU_POINTER_ATTRIBUTE_MAPPING_SIZE);
}

ExportedRange range_of(std::vector<ExportedMemory> pieces, const std::byte* from, const std::byte* first,
                       std::shared_ptr<const void> held) {
  ExportedRange range{{}, static_cast<std::size_t>(first - from), std::move(held)};
  for (ExportedMemory& piece : pieces) {
    piece.of_user = 1;
    range.pieces.push_back(pack(piece));
  }
  return range;
}

/// The allocation of cudaMalloc() or of a pool. An array in several of them has no address at which others could map all of it.
Extent whole_allocation(const Device& device, const std::byte* first, std::size_t bytes) {
  const Extent extent = allocation_at(first);
  if (first < extent.first || first + bytes > extent.end()) {
    refuse_export(device, fmt::format("the array has {} bytes, and its allocation ends {} bytes after the array's "
                                      "begin; allowed are arrays in one allocation",
                                      bytes, extent.bytes == 0 ? 0 : extent.end() - first));
  }
  return extent;
}

ExportedRange export_allocated(const Device& device, const std::byte* first, std::size_t bytes) {
  const Extent all = whole_allocation(device, first, bytes);
  ExportedMemory exported = exported_of(device, all.first, all.bytes, all.bytes);
  export_legacy(device, all.first, exported);
  return range_of({exported}, all.first, first, nullptr);
}

void check_pool(const Device& device, cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  refuse_export(device, fmt::format("{}: {}; allowed are memory pools with the handle type "
                                    "cudaMemHandleTypePosixFileDescriptor, which CUDA's default pool has not",
                                    call, describe(status)));
}

ExportedRange export_pooled(const Device& device, const std::byte* first, std::size_t bytes) {
  const Extent all = whole_allocation(device, first, bytes);
  const cudaMemPool_t pool = allocation_facts(first).pool;
  ExportedMemory exported = exported_of(device, all.first, all.bytes, all.bytes);
  exported.kind = ExportKind::pool;
  exported.pool = reinterpret_cast<std::uintptr_t>(pool);
  int fd = -1;
  check_pool(device, cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0),
             "cudaMemPoolExportToShareableHandle");
  auto open = std::make_shared<const OwnDescriptor>(fd);
  exported.owner = handle_of_descriptor(fd);
  cudaMemPoolPtrExportData data{};
  static_assert(sizeof data == sizeof exported.handle);
  check_pool(device, cudaMemPoolExportPointer(&data, const_cast<std::byte*>(all.first)), "cudaMemPoolExportPointer");
  std::memcpy(exported.handle.data(), &data, sizeof data);
  return range_of({exported}, all.first, first, std::move(open));
}

/// The pieces that an array lies in, in the order of addresses; *from: where the first begins.
std::vector<PhysicalMemory> pieces_of(const Device& device, const std::byte* first, std::size_t bytes,
                                      const std::byte** from) {
  std::vector<PhysicalMemory> pieces;
  const std::byte* next = first;
  while (next < first + bytes) {
    if (pieces.size() == most_exported_pieces) {
      refuse_export(device, fmt::format("the array lies in more than {} pieces of physical memory, of {} bytes the "
                                        "first; allowed are {} or fewer",
                                        most_exported_pieces, pieces.front().bytes(), most_exported_pieces));
    }
    const Extent mapping = mapping_at(next);
    const bool is_next = mapping.bytes != 0 && mapping.first <= next && next < mapping.end() &&
                         (pieces.empty() || mapping.first == next);
    if (!is_next) refuse_export(device, fmt::format("its piece {} is mapped in a way unknown here", pieces.size()));
    if (pieces.empty()) *from = mapping.first;
    pieces.push_back(PhysicalMemory::mapped_at(mapping.first, mapping.bytes));
    // What others map would be other memory if this were more than one piece.
    if (PhysicalMemory::mapped_at(mapping.end() - 1, 1).get() != pieces.back().get()) {
      refuse_export(device, fmt::format("its piece {} of {} bytes begins and ends in different memory",
                                        pieces.size() - 1, mapping.bytes));
    }
    next = mapping.end();
  }
  return pieces;
}

/// The ways in which all pieces may be exported, as bits of CUmemAllocationHandleType.
unsigned handle_types_of(const Device& device, const std::vector<PhysicalMemory>& pieces) {
  unsigned types = ~0U;
  for (const PhysicalMemory& piece : pieces) {
    const CUmemAllocationProp properties = piece.properties();
    if (properties.location.type != CU_MEM_LOCATION_TYPE_DEVICE || properties.location.id != device.ordinal()) {
      refuse_export(device, "some of its physical memory is not of this device");
    }
    types &= static_cast<unsigned>(properties.requestedHandleTypes);
  }
  return types;
}

ExportedRange export_virtual(const Device& device, const std::byte* first, std::size_t bytes) {
  const std::byte* from = nullptr;
  const std::vector<PhysicalMemory> pieces = pieces_of(device, first, bytes, &from);
  const unsigned types = handle_types_of(device, pieces);
  std::string why;
  for (const ExportKind kind : {ExportKind::fabric, ExportKind::fd}) {
    if ((types & static_cast<unsigned>(handle_type(kind))) == 0) continue;
    try {
      const auto open = std::make_shared<const ExportedPieces>(pieces, kind);
      std::vector<ExportedMemory> exported;
      const std::byte* at = from;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        exported.push_back(exported_of(device, at, pieces[i].bytes(), pieces[i].bytes()));
        open->describe(i, exported.back());
        at += pieces[i].bytes();
      }
      return range_of(std::move(exported), from, first, open);
    } catch (const DriverError& error) {
      why += fmt::format("{}by {}: {}", why.empty() ? "" : "; ", to_string(kind), error.what());
    }
  }
  refuse_export(device, !why.empty() ? why
                                     : "it was created without handles for other processes; allowed are the handle "
                                       "types CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR and FABRIC (PyTorch: "
                                       "TORCH_CUDA_EXPANDABLE_SEGMENTS_IPC=1)");
}

}  // namespace

ExportedRange export_user_memory(const Device& device, MemoryKind kind, const std::byte* first, std::size_t bytes) {
  const CurrentDevice current(device.context());
  const CaptureAside aside;
  try {
    switch (kind) {
      case MemoryKind::device: return export_allocated(device, first, bytes);
      case MemoryKind::pool: return export_pooled(device, first, bytes);
      case MemoryKind::mapped: return export_virtual(device, first, bytes);
      case MemoryKind::host:
      case MemoryKind::pinned:
      case MemoryKind::managed: break;
    }
  } catch (const DriverError& error) {
    refuse_export(device, error.what());
  }
  refuse_export(device, fmt::format("it is {}; allowed is device memory", to_string(kind)));
}

}  // namespace halocline::device::cuda
