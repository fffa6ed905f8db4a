// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "device/backend.hpp"
#include "halocline/error.hpp"

namespace halocline::device {

/// The bytes of a MemoryHandle, which are a backend's own struct: trivially copyable, with `magic`, `uuid` and constants
/// `expected_magic` and `backend`.
template <typename Exported>
[[nodiscard]] MemoryHandle pack(const Exported& memory) {
  // Without padding, whose bytes would differ between handles of the same memory.
  static_assert(std::has_unique_object_representations_v<Exported> && sizeof(Exported) <= sizeof(MemoryHandle));
  MemoryHandle handle;
  std::memcpy(handle.blob.data(), &memory, sizeof memory);
  return handle;
}

/// Throws CapabilityError where the handle is not from that backend.
template <typename Exported>
[[nodiscard]] Exported unpack(const MemoryHandle& handle) {
  Exported memory;
  std::memcpy(&memory, handle.blob.data(), sizeof memory);
  if (memory.magic != Exported::expected_magic) {
    throw CapabilityError(
        fmt::format("cannot map the memory: its handle is not from a {} backend of this version", Exported::backend));
  }
  memory.uuid.back() = '\0';
  return memory;
}

}  // namespace halocline::device
