// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <cstddef>

#include "twin.hpp"

extern "C" void declare_device_memory(const void* begin, int bytes, int present) {
  using Declare = void (*)(const void*, std::size_t, int);
  const auto declare = reinterpret_cast<Declare>(dlsym(RTLD_DEFAULT, "halocline_profile_device_memory"));
  if (declare != nullptr) declare(begin, static_cast<std::size_t>(bytes), present);
}
