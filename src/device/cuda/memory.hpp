// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "device/backend.hpp"
#include "device/cuda/devices.hpp"
#include "device/cuda/exported_memory.hpp"

namespace halocline::device::cuda {

/// Behind no work of the user's, and done when it returns.
void fill_with_zeros(const Device& device, std::byte* data, std::size_t bytes);
[[nodiscard]] std::unique_ptr<Buffer> make_buffer(std::shared_ptr<Devices> devices, int device, std::size_t bytes);
/// Exported as Devices::exports() has it for the device. Throws CapabilityError if the device refuses the setting.
[[nodiscard]] std::unique_ptr<ShareableBuffer> make_shareable(std::shared_ptr<Devices> devices, int device,
                                                              std::size_t bytes);
/// The same in memory of cudaMalloc(), whatever the setting.
[[nodiscard]] std::unique_ptr<ShareableBuffer> make_legacy_shareable(std::shared_ptr<Devices> devices, int device,
                                                                     std::size_t bytes);
[[nodiscard]] std::unique_ptr<Buffer> make_pinned(std::shared_ptr<Devices> devices, std::size_t bytes);
/// One buffer, or the pieces of a user's memory. In the exporting process the exporter's own address, except of a user's virtual memory.
[[nodiscard]] std::unique_ptr<Mapping> make_mapping(std::shared_ptr<Devices> devices, int device,
                                                    std::span<const ExportedMemory> pieces);
[[nodiscard]] std::unique_ptr<Registration> make_registration(std::shared_ptr<Devices> devices, const std::byte* memory,
                                                              std::size_t bytes);

}  // namespace halocline::device::cuda
