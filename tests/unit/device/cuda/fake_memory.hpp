// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace halocline::device::cuda::test {

/// The driver's virtual memory management that fake_memory.cpp puts in the place of CUDA's, and what it reports of addresses. Nothing is
/// at the addresses. Descriptors that it exports are files that name the memory.
struct FakeMemory {
  static constexpr std::size_t granularity = 4096;
  struct Physical {
    std::size_t bytes = 0;
    unsigned types = 0;
    int device = 0;
    int references = 1;
  };
  struct Mapped {
    CUmemGenericAllocationHandle memory = 0;
    std::size_t bytes = 0;
  };
  /// Of cudaMalloc() or of a pool.
  struct Allocated {
    std::size_t bytes = 0;
    CUmemoryPool pool = nullptr;
  };
  std::map<CUmemGenericAllocationHandle, Physical> physical;  ///< whose references or mappings exist
  std::map<CUdeviceptr, Mapped> mapped;
  std::map<CUdeviceptr, std::size_t> reserved;
  std::map<CUdeviceptr, std::size_t> accessible;
  std::map<CUdeviceptr, Allocated> allocated;
  /// Which call of a function fails, counted from 1, by its name.
  std::map<std::string, int> failing;
  std::size_t reported_bytes = 0;   ///< of each mapping, instead of what is true; 0: that
  std::vector<std::string> called;  ///< in order, except those that only ask

  /// Physical memory that is mapped at an address, as a user maps it, to whom the address alone stays.
  CUmemGenericAllocationHandle map(CUdeviceptr address, std::size_t bytes,
                                   unsigned types = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, int device = 0);
};

[[nodiscard]] FakeMemory& fake_memory();
/// The driver's functions by name.
[[nodiscard]] const std::map<std::string, void*>& fake_memory_functions();
/// A file whose only contents are a number, and the number in one.
[[nodiscard]] int descriptor_of(std::uint64_t number);
[[nodiscard]] std::uint64_t number_in(int descriptor);

}  // namespace halocline::device::cuda::test
