// SPDX-License-Identifier: BSD-3-Clause
#include "unit/device/cuda/fake_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <iterator>
#include <stdexcept>

namespace halocline::device::cuda::test {
namespace {

FakeMemory state;
CUmemGenericAllocationHandle last_made = 0;
CUdeviceptr last_reserved = CUdeviceptr{1} << 40;

CUresult driver_call(const char* function) {
  state.called.emplace_back(function);
  const auto found = state.failing.find(function);
  return found != state.failing.end() && --found->second == 0 ? CUDA_ERROR_NOT_PERMITTED : CUDA_SUCCESS;
}

/// The entry of a map by address in which an address is; end() if it is in none.
template <typename Map>
auto around(Map& map, CUdeviceptr address) {
  auto next = map.upper_bound(address);
  if (next == map.begin()) return map.end();
  const auto found = std::prev(next);
  return address < found->first + found->second.bytes ? found : map.end();
}

void forget_if_unused(CUmemGenericAllocationHandle handle) {
  if (state.physical.at(handle).references > 0) return;
  for (const auto& [address, mapped] : state.mapped) {
    if (mapped.memory == handle) return;
  }
  state.physical.erase(handle);
}

CUresult attribute(int* value, CUdevice_attribute, CUdevice) {
  *value = 1;
  return CUDA_SUCCESS;
}
CUresult granularity(std::size_t* bytes, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
  *bytes = FakeMemory::granularity;
  return CUDA_SUCCESS;
}
CUresult create(CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp* properties,
                unsigned long long) {
  if (const CUresult status = driver_call("cuMemCreate"); status != CUDA_SUCCESS) return status;
  *handle = ++last_made;
  state.physical[*handle] = {bytes, static_cast<unsigned>(properties->requestedHandleTypes), properties->location.id};
  return CUDA_SUCCESS;
}
CUresult release(CUmemGenericAllocationHandle handle) {
  (void)driver_call("cuMemRelease");
  if (!state.physical.contains(handle) || state.physical.at(handle).references == 0) return CUDA_ERROR_INVALID_VALUE;
  --state.physical.at(handle).references;
  forget_if_unused(handle);
  return CUDA_SUCCESS;
}
CUresult reserve(CUdeviceptr* address, std::size_t bytes, std::size_t, CUdeviceptr, unsigned long long) {
  if (const CUresult status = driver_call("cuMemAddressReserve"); status != CUDA_SUCCESS) return status;
  *address = last_reserved += CUdeviceptr{1} << 32;
  state.reserved[*address] = bytes;
  return CUDA_SUCCESS;
}
CUresult free_addresses(CUdeviceptr address, std::size_t bytes) {
  (void)driver_call("cuMemAddressFree");
  const auto found = state.reserved.find(address);
  if (found == state.reserved.end() || found->second != bytes) return CUDA_ERROR_INVALID_VALUE;
  const auto inside = state.mapped.lower_bound(address);
  if (inside != state.mapped.end() && inside->first < address + bytes) return CUDA_ERROR_INVALID_VALUE;
  state.reserved.erase(found);
  return CUDA_SUCCESS;
}
CUresult map(CUdeviceptr address, std::size_t bytes, std::size_t, CUmemGenericAllocationHandle handle,
             unsigned long long) {
  if (const CUresult status = driver_call("cuMemMap"); status != CUDA_SUCCESS) return status;
  if (bytes > state.physical.at(handle).bytes || around(state.mapped, address) != state.mapped.end()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  state.mapped[address] = {handle, bytes};
  return CUDA_SUCCESS;
}
CUresult unmap(CUdeviceptr address, std::size_t bytes) {
  (void)driver_call("cuMemUnmap");
  const auto found = state.mapped.find(address);
  if (found == state.mapped.end() || found->second.bytes != bytes) return CUDA_ERROR_INVALID_VALUE;
  const CUmemGenericAllocationHandle handle = found->second.memory;
  state.mapped.erase(found);
  forget_if_unused(handle);
  return CUDA_SUCCESS;
}
CUresult set_access(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc*, std::size_t) {
  if (const CUresult status = driver_call("cuMemSetAccess"); status != CUDA_SUCCESS) return status;
  state.accessible[address] = bytes;
  return CUDA_SUCCESS;
}
CUresult retain(CUmemGenericAllocationHandle* handle, void* address) {
  if (const CUresult status = driver_call("cuMemRetainAllocationHandle"); status != CUDA_SUCCESS) return status;
  const auto found = around(state.mapped, reinterpret_cast<CUdeviceptr>(address));
  if (found == state.mapped.end()) return CUDA_ERROR_INVALID_VALUE;
  *handle = found->second.memory;
  ++state.physical.at(*handle).references;
  return CUDA_SUCCESS;
}
CUresult properties_of(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
  const FakeMemory::Physical& physical = state.physical.at(handle);
  *properties = {};
  properties->requestedHandleTypes = static_cast<CUmemAllocationHandleType>(physical.types);
  properties->location = {CU_MEM_LOCATION_TYPE_DEVICE, physical.device};
  return CUDA_SUCCESS;
}
CUresult export_memory(void* into, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
                       unsigned long long) {
  const bool fabric = type == CU_MEM_HANDLE_TYPE_FABRIC;
  // Fabric handles fail by a name of their own, too: an IMEX channel may be missing.
  if (fabric && state.failing.contains("fabric")) return CUDA_ERROR_NOT_PERMITTED;
  if (const CUresult status = driver_call("cuMemExportToShareableHandle"); status != CUDA_SUCCESS) return status;
  if ((state.physical.at(handle).types & static_cast<unsigned>(type)) == 0) return CUDA_ERROR_INVALID_VALUE;
  if (fabric) {
    std::memcpy(into, &handle, sizeof handle);
  } else {
    *static_cast<int*>(into) = descriptor_of(handle);
  }
  return CUDA_SUCCESS;
}
CUresult import_memory(CUmemGenericAllocationHandle* handle, void* from, CUmemAllocationHandleType type) {
  if (const CUresult status = driver_call("cuMemImportFromShareableHandle"); status != CUDA_SUCCESS) return status;
  if (type == CU_MEM_HANDLE_TYPE_FABRIC) {
    std::memcpy(handle, from, sizeof *handle);
  } else {
    *handle = number_in(static_cast<int>(reinterpret_cast<std::intptr_t>(from)));
  }
  ++state.physical.at(*handle).references;
  return CUDA_SUCCESS;
}

CUresult pointer_attributes(unsigned count, CUpointer_attribute* asked, void** answers, CUdeviceptr address) {
  const auto mapping = around(state.mapped, address);
  const auto allocation = around(state.allocated, address);
  const bool is_mapped = mapping != state.mapped.end();
  const bool is_allocated = allocation != state.allocated.end();
  for (unsigned i = 0; i < count; ++i) {
    switch (asked[i]) {
      case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        *static_cast<CUdeviceptr*>(answers[i]) = is_mapped ? mapping->first : 0;
        break;
      case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        *static_cast<std::size_t*>(answers[i]) = !is_mapped                 ? 0
                                                 : state.reported_bytes > 0 ? state.reported_bytes
                                                                            : mapping->second.bytes;
        break;
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *static_cast<CUdeviceptr*>(answers[i]) = is_allocated ? allocation->first : 0;
        break;
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *static_cast<std::size_t*>(answers[i]) = is_allocated ? allocation->second.bytes : 0;
        break;
      case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *static_cast<CUmemoryPool*>(answers[i]) = is_allocated ? allocation->second.pool : nullptr;
        break;
      case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *static_cast<int*>(answers[i]) = is_allocated && allocation->second.pool == nullptr ? 1 : 0;
        break;
      default: return CUDA_ERROR_NOT_SUPPORTED;
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUmemGenericAllocationHandle FakeMemory::map(CUdeviceptr address, std::size_t bytes, unsigned types, int device) {
  const CUmemGenericAllocationHandle handle = ++last_made;
  physical[handle] = {bytes, types, device, 0};
  mapped[address] = {handle, bytes};
  return handle;
}

FakeMemory& fake_memory() { return state; }

const std::map<std::string, void*>& fake_memory_functions() {
  static const std::map<std::string, void*> functions = {
      {"cuDeviceGetAttribute", reinterpret_cast<void*>(&attribute)},
      {"cuMemGetAllocationGranularity", reinterpret_cast<void*>(&granularity)},
      {"cuMemCreate", reinterpret_cast<void*>(&create)},
      {"cuMemRelease", reinterpret_cast<void*>(&release)},
      {"cuMemAddressReserve", reinterpret_cast<void*>(&reserve)},
      {"cuMemAddressFree", reinterpret_cast<void*>(&free_addresses)},
      {"cuMemMap", reinterpret_cast<void*>(&map)},
      {"cuMemUnmap", reinterpret_cast<void*>(&unmap)},
      {"cuMemSetAccess", reinterpret_cast<void*>(&set_access)},
      {"cuMemRetainAllocationHandle", reinterpret_cast<void*>(&retain)},
      {"cuMemGetAllocationPropertiesFromHandle", reinterpret_cast<void*>(&properties_of)},
      {"cuMemExportToShareableHandle", reinterpret_cast<void*>(&export_memory)},
      {"cuMemImportFromShareableHandle", reinterpret_cast<void*>(&import_memory)},
      {"cuPointerGetAttributes", reinterpret_cast<void*>(&pointer_attributes)},
  };
  return functions;
}

int descriptor_of(std::uint64_t number) {
  const int file = ::memfd_create("fake", MFD_CLOEXEC);
  if (file < 0 || ::pwrite(file, &number, sizeof number, 0) != sizeof number) {
    throw std::runtime_error("cannot make a file for a number");
  }
  return file;
}

std::uint64_t number_in(int descriptor) {
  std::uint64_t number = 0;
  if (::pread(descriptor, &number, sizeof number, 0) != sizeof number) {
    throw std::runtime_error("a descriptor of no number");
  }
  return number;
}

}  // namespace halocline::device::cuda::test
