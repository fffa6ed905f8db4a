// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/profiled.hpp"

#include <dlfcn.h>

namespace halocline::device::host {
namespace {

using Declare = void (*)(const void* begin, std::size_t bytes, int present);

/// Null where the library is not there.
Declare declare() {
  static const auto found = reinterpret_cast<Declare>(dlsym(RTLD_DEFAULT, "halocline_profile_device_memory"));
  return found;
}

}  // namespace

ProfiledRange::ProfiledRange(const std::byte* begin, std::size_t bytes) : begin_(begin) {
  if (declare() != nullptr && bytes > 0) declare()(begin_, bytes, 1);
}

ProfiledRange::~ProfiledRange() {
  if (declare() != nullptr) declare()(begin_, 0, 0);
}

}  // namespace halocline::device::host
