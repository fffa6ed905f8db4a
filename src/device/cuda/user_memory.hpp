// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "device/backend.hpp"
#include "device/cuda/device.hpp"

namespace halocline::device::cuda {

/// How many pieces of physical memory an array may lie in to be exported: each takes an open file descriptor of the 1024 that processes
/// usually have, until the others have mapped it.
constexpr std::size_t most_exported_pieces = 512;

/// Backend::export_range(), of memory of this kind.
[[nodiscard]] ExportedRange export_user_memory(const Device& device, MemoryKind kind, const std::byte* first,
                                               std::size_t bytes);

}  // namespace halocline::device::cuda
