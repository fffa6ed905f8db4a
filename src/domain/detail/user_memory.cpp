// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/user_memory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "halocline/error.hpp"

namespace halocline {
namespace {

using device::MemoryKind;

struct Range {
  const std::byte* first = nullptr;
  const std::byte* last = nullptr;
};

/// The bytes from the first byte of the lowest cell to the last byte of the highest. Strides may be negative.
Range range_of(const exchange::Array& array, const UserCells& cells) {
  std::int64_t low = 0;
  std::int64_t high = bytes_of(cells.field.element) - 1;
  const auto reach = [&](std::int64_t a, std::int64_t b) {
    low += std::min(a, b);
    high += std::max(a, b);
  };
  for (int dim = 0; dim < 3; ++dim) {
    const std::int64_t stride = array.stride_bytes[static_cast<std::size_t>(dim)];
    reach((cells.with_halo.lo[dim] - cells.owned.lo[dim]) * stride,
          (cells.with_halo.hi[dim] - 1 - cells.owned.lo[dim]) * stride);
  }
  reach(0, (cells.field.components - 1) * array.component_stride_bytes);
  return {array.origin + low, array.origin + high};
}

bool is_usable(const device::MemoryInfo& memory, int device) {
  switch (memory.kind) {
    case MemoryKind::host: return false;
    case MemoryKind::pinned:
    case MemoryKind::managed: return true;
    case MemoryKind::device:
    case MemoryKind::pool:
    case MemoryKind::mapped: return memory.device == device;
  }
  return false;
}

std::string text_of(const device::MemoryInfo& memory) {
  std::string text(to_string(memory.kind));
  if (memory.kind == MemoryKind::host || memory.kind == MemoryKind::pinned || memory.kind == MemoryKind::managed) {
    return text;
  }
  return text +
         (memory.device < 0 ? " of a device that is not this rank's" : fmt::format(" of device {}", memory.device));
}

[[noreturn]] void refuse(const UserArrayName& name, const char* where, const device::MemoryInfo& memory, int device,
                         const device::Backend& backend) {
  throw InvalidArgument(fmt::format(
      "array of field '{}' of subdomain {} {} in {}; allowed are memory of device {} ({}), managed memory and "
      "pinned memory of the host",
      name.field, name.subdomain.value(), where, text_of(memory), device, backend.info(device).name));
}

}  // namespace

Verdict check_user_memory(const device::Backend& backend, int device, const UserArrayName& name,
                          const exchange::Array& array, const UserCells& cells) {
  if (backend.kind() == DeviceKind::host) return Verdict::of(true);
  const Range range = range_of(array, cells);
  const device::MemoryInfo first = backend.memory_at(range.first);
  if (!is_usable(first, device)) refuse(name, "begins", first, device, backend);
  const device::MemoryInfo last = backend.memory_at(range.last);
  if (!is_usable(last, device) || last.kind != first.kind) refuse(name, "ends", last, device, backend);
  return Verdict::of(first.kind == MemoryKind::device,
                     fmt::format("field '{}' is in {}, which peer access does not cover", name.field, text_of(first)));
}

ExportedUserArray export_user_array(device::Backend& backend, int device, const UserArrayName& name,
                                    const exchange::Array& array, const UserCells& cells) {
  const Range range = range_of(array, cells);
  try {
    device::ExportedRange exported =
        backend.export_range(device, range.first, static_cast<std::size_t>(range.last + 1 - range.first));
    const std::int64_t origin = static_cast<std::int64_t>(exported.offset) + (array.origin - range.first);
    return {Verdict::of(true), {std::move(exported.pieces), origin}, std::move(exported.held)};
  } catch (const CapabilityError& error) {
    return {Verdict::of(false, fmt::format("field '{}' is the user's own array, which others cannot map: {}",
                                           name.field, error.what()))};
  }
}

}  // namespace halocline
