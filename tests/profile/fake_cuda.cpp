// SPDX-License-Identifier: BSD-3-Clause
// The only function of CUDA's driver that the profiling library calls, for memory that the test declares.
#include <cstddef>
#include <cstdint>

namespace {
std::uintptr_t first = 0;
std::uintptr_t last = 0;
}  // namespace

extern "C" void fake_cuda_device_memory(const void* begin, std::size_t bytes);
extern "C" void fake_cuda_device_memory(const void* begin, std::size_t bytes) {
  first = reinterpret_cast<std::uintptr_t>(begin);
  last = first + bytes;
}

extern "C" int cuPointerGetAttribute(void* data, int attribute, unsigned long long pointer);
extern "C" int cuPointerGetAttribute(void* data, int attribute, unsigned long long pointer) {
  constexpr int memory_type = 2;
  constexpr int invalid_value = 1;
  constexpr unsigned int device = 2;
  if (attribute != memory_type || pointer < first || pointer >= last) return invalid_value;
  *static_cast<unsigned int*>(data) = device;
  return 0;
}
