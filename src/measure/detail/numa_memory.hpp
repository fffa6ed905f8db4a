// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

#include "device/backend.hpp"

namespace halocline::machine::measuring {

/// Host memory: pinned, or pageable.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  [[nodiscard]] virtual std::byte* data() const = 0;
};

/// Of a NUMA node by the operating system's number, or of any for -1. The pages are first touched by a thread that is
/// bound to cores of the node, which needs no privileges. Throws CapabilityError with the reason if it cannot be had there,
/// ResourceError where there is none.
[[nodiscard]] std::unique_ptr<HostMemory> pinned_memory(device::Backend& backend, std::size_t bytes, int numa);
/// The same without pinning.
[[nodiscard]] std::unique_ptr<HostMemory> pageable_memory(std::size_t bytes, int numa);

}  // namespace halocline::machine::measuring
