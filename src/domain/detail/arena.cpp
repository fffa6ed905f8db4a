// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/arena.hpp"

#include <fmt/core.h>

#include "core/bytes.hpp"
#include "device/memory_account.hpp"

namespace halocline {
namespace {

constexpr std::int64_t aligned(std::int64_t bytes, std::int64_t unit) { return (bytes + unit - 1) / unit * unit; }

/// One array of a field, from the start of its memory.
struct Layout {
  std::int64_t first_owned = 0;
  std::array<std::int64_t, 3> stride{};
  std::int64_t component_stride = 0;
  std::array<std::int64_t, 2> spare{};  ///< as Array::spare_bytes
  std::int64_t bytes = 0;
};

Layout layout_of(const partition::Geometry& geometry, field_id field, subdomain_id subdomain,
                 const device::Backend& backend) {
  const FieldDescriptor& descriptor = geometry.fields[field.index()];
  const HaloWidth& halo = geometry.halo_of(field);
  const Vec3 owned = geometry.owned(field, subdomain).extent();
  const std::int64_t element = bytes_of(descriptor.element);
  Layout layout;
  // Between two rows are the halo above the one and the halo below the next. Each of these has whole sectors, so that
  // halos can be stored without reading their old contents first.
  const std::int64_t sector = std::max(backend.sector_bytes(), element);
  const std::int64_t below = aligned(halo.lower().x * element, sector);
  const std::int64_t above = aligned(halo.upper().x * element, sector);
  // Memory reads and writes two sectors at a time (a burst). Halos that fit into one burst lie in the same one, so that it is
  // touched once for both.
  const std::int64_t burst = 2 * sector;
  const bool in_one_burst = backend.sector_bytes() > 1 && below + above > 0 && below + above <= burst;
  const std::int64_t unit = in_one_burst ? burst : backend.row_alignment_bytes();
  std::int64_t row = aligned(aligned(owned.x * element, sector) + above + below, unit);
  // Odd multiples spread the rows over all sets of a cache. They would put two halos of one burst into two.
  if (!in_one_burst && row / unit % 2 == 0) row += unit;
  const std::int64_t rows = halo.lower().y + owned.y + halo.upper().y;
  const std::int64_t planes = halo.lower().z + owned.z + halo.upper().z;
  const std::int64_t first_row = aligned(below, unit);
  // Because of padding, the memory can exceed the limit that the plan checks for the cells alone.
  layout.bytes = (Bytes(row) * rows * planes * descriptor.components + first_row).aligned_to(128).value([&] {
    return fmt::format("memory for field '{}' of subdomain {}, {} x {} rows of {} bytes,", descriptor.name,
                       subdomain.value(), rows, planes, row);
  });
  layout.stride = {element, row, row * rows};
  layout.component_stride = row * rows * planes;
  layout.first_owned = first_row + halo.lower().y * row + halo.lower().z * row * rows;
  layout.spare = {below - halo.lower().x * element, above - halo.upper().x * element};
  return layout;
}

}  // namespace

Arena make_arena(device::Backend& backend, int device, const partition::Geometry& geometry, subdomain_id subdomain,
                 const std::vector<bool>& ours) {
  const auto memory = [&] { return fmt::format("memory for the fields of subdomain {}", subdomain.value()); };
  Bytes all;
  std::vector<std::vector<std::int64_t>> offsets;
  std::vector<Layout> layouts;
  for (std::size_t f = 0; f < geometry.fields.size(); ++f) {
    layouts.push_back(layout_of(geometry, field_id(static_cast<std::int64_t>(f)), subdomain, backend));
    auto& buffers = offsets.emplace_back();
    for (int buffer = 0; buffer < geometry.fields[f].buffers; ++buffer) {
      buffers.push_back(all.value(memory));
      if (ours[f]) all += layouts.back().bytes;
    }
  }
  const std::int64_t bytes = all.value(memory);
  Arena arena;
  const device::CountMemory counted(device::Purpose::cells);
  arena.buffer = backend.allocate_shareable(device, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
  for (std::size_t f = 0; f < layouts.size(); ++f) {
    auto& buffers = arena.arrays.emplace_back();
    for (const std::int64_t offset : offsets[f]) {
      if (!ours[f]) {
        buffers.emplace_back();
        continue;
      }
      buffers.push_back({arena.buffer->data() + offset + layouts[f].first_owned, layouts[f].stride,
                         layouts[f].component_stride, layouts[f].spare});
    }
  }
  return arena;
}

}  // namespace halocline
