// SPDX-License-Identifier: BSD-3-Clause
#include "support/few_allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace halocline::test {

thread_local int allocations_left = -1;

namespace {

void* allocate(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace
}  // namespace halocline::test

void* operator new(std::size_t bytes) { return halocline::test::allocate(bytes); }
void* operator new[](std::size_t bytes) { return halocline::test::allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
