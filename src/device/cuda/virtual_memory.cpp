// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/virtual_memory.hpp"

#include <utility>

namespace halocline::device::cuda {
namespace {

std::vector<PhysicalMemory> alone(PhysicalMemory piece) {
  std::vector<PhysicalMemory> pieces;
  pieces.push_back(std::move(piece));
  return pieces;
}

}  // namespace

VirtualMemory::VirtualMemory(PhysicalMemory piece) : VirtualMemory(alone(std::move(piece))) {}

VirtualMemory::VirtualMemory(std::vector<PhysicalMemory> pieces) : pieces_(std::move(pieces)) {
  for (const PhysicalMemory& piece : pieces_) bytes_ += piece.bytes();
  require(memory_driver().reserve_addresses(&address_, bytes_, 0, 0, 0), "cuMemAddressReserve");
  try {
    CUdeviceptr next = address_;
    for (const PhysicalMemory& piece : pieces_) {
      require(memory_driver().map(next, piece.bytes(), 0, piece.get(), 0), "cuMemMap");
      next += piece.bytes();
      ++mapped_;
    }
  } catch (...) {
    release();
    throw;
  }
}

VirtualMemory::~VirtualMemory() { release(); }

std::byte* VirtualMemory::data() const {
  return reinterpret_cast<std::byte*>(address_);  // NOLINT(performance-no-int-to-ptr): CUdeviceptr is an address
}

void VirtualMemory::release() noexcept {
  CUdeviceptr next = address_;
  for (std::size_t i = 0; i < mapped_; ++i) {
    log_driver_failure(memory_driver().unmap(next, pieces_[i].bytes()), "cuMemUnmap");
    next += pieces_[i].bytes();
  }
  log_driver_failure(memory_driver().free_addresses(address_, bytes_), "cuMemAddressFree");
}

void allow_access(std::byte* data, std::size_t bytes, int cuda_ordinal) {
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = cuda_ordinal;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  require(memory_driver().set_access(reinterpret_cast<CUdeviceptr>(data), bytes, &access, 1), "cuMemSetAccess");
}

}  // namespace halocline::device::cuda
