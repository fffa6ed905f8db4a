// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/arena.hpp"

#include <fmt/core.h>

#include "core/bytes.hpp"
#include "core/round_up.hpp"
#include "device/memory_account.hpp"

namespace halocline {
namespace {

/// Of each array, and of each halo that is stored apart.
constexpr std::int64_t memory_alignment = 128;

/// Cells, by offsets from the start of an array's memory.
struct CellsLayout {
  std::int64_t first = 0;
  Vec3 stride;  ///< 0: there are none
  std::int64_t component_stride = 0;

  [[nodiscard]] StridedCells at(std::byte* memory) const {
    if (stride.x == 0) return {};
    return {memory + first, stride, component_stride};
  }
};

/// One array of a field.
struct Layout {
  CellsLayout rows;                      ///< from the first owned cell
  std::array<std::int64_t, 2> spare{};   ///< as Array::spare_bytes
  std::array<CellsLayout, 2> x_halos{};  ///< as Array::x_halos
  std::int64_t bytes = 0;

  [[nodiscard]] exchange::Array at(std::byte* memory) const {
    const auto& [x, y, z] = rows.stride;
    return {
        memory + rows.first, {x, y, z}, rows.component_stride, spare, {x_halos[0].at(memory), x_halos[1].at(memory)}};
  }
};

class LayoutOfField {
 public:
  LayoutOfField(const partition::Geometry& geometry, field_id field, subdomain_id subdomain,
                const device::Backend& backend)
      : geometry_(&geometry),
        descriptor_(&geometry.fields[field.index()]),
        subdomain_(subdomain),
        halo_(geometry.halo_of(field)),
        owned_(geometry.owned(field, subdomain).extent()),
        element_(bytes_of(descriptor_->element)),
        sector_(std::max(backend.sector_bytes(), element_)),
        has_sectors_(backend.sector_bytes() > 1),
        row_alignment_(backend.row_alignment_bytes()) {}

  [[nodiscard]] Layout layout() {
    place_rows();
    if (descriptor_->x_halos_apart) {
      place_x_halo(0, halo_.lower().x);
      place_x_halo(1, halo_.upper().x);
    }
    layout_.bytes = so_far();
    return layout_;
  }

 private:
  [[nodiscard]] std::int64_t rows_in_plane() const { return halo_.lower().y + owned_.y + halo_.upper().y; }
  [[nodiscard]] std::int64_t planes() const { return halo_.lower().z + owned_.z + halo_.upper().z; }

  /// Whether the halos below and above in x are copied from one subdomain, which may be this one.
  [[nodiscard]] bool has_one_neighbour_in_x() const {
    const auto below = partition::neighbour(*geometry_, subdomain_, Direction::of(-1, 0, 0));
    const auto above = partition::neighbour(*geometry_, subdomain_, Direction::of(1, 0, 0));
    return below && above && below->subdomain == above->subdomain;
  }

  /// Between two rows are the halo above the one and the halo below the next. See docs/decisions/0098.
  void place_rows() {
    const std::int64_t halo_below = descriptor_->x_halos_apart ? 0 : halo_.lower().x * element_;
    const std::int64_t halo_above = descriptor_->x_halos_apart ? 0 : halo_.upper().x * element_;
    const std::int64_t widest = std::max(halo_below, halo_above);
    const bool narrow = has_sectors_ && widest > 0 && widest <= sector_;
    // Each has whole sectors, so that it can be stored without reading what was there; or half of one, if the other half is stored at the
    // same time.
    const bool in_one_sector = narrow && widest <= sector_ / 2 && has_one_neighbour_in_x();
    const std::int64_t part = in_one_sector ? sector_ / 2 : sector_;
    const std::int64_t below = round_up(halo_below, part);
    const std::int64_t above = round_up(halo_above, part);
    const std::int64_t unit = narrow ? sector_ : row_alignment_;
    row_ = round_up(owned_.x * element_ + above + below, unit);
    // Odd multiples spread the rows over all sets of a cache.
    if (!narrow && row_ / unit % 2 == 0) row_ += unit;
    // Memory reads and writes two sectors at a time (a burst). Where rows are whole bursts, so is what lies between them.
    const std::int64_t first_row = round_up(below, narrow ? 2 * sector_ : unit);
    append(Bytes(row_) * rows_in_plane() * planes() * descriptor_->components + first_row);
    so_far();  // from here on nothing overflows
    const std::int64_t plane = row_ * rows_in_plane();
    layout_.rows = {
        first_row + halo_.lower().y * row_ + halo_.lower().z * plane, {element_, row_, plane}, plane * planes()};
    layout_.spare = {below - halo_below, above - halo_above};
  }

  /// Its rows follow one another without gaps. Each plane begins in a sector of its own.
  void place_x_halo(std::size_t side, std::int64_t width) {
    if (width == 0) return;
    const std::int64_t row = width * element_;
    const std::int64_t begin = so_far();
    append((Bytes(row) * rows_in_plane()).aligned_to(sector_) * planes() * descriptor_->components);
    so_far();
    const std::int64_t plane = round_up(row * rows_in_plane(), sector_);
    const std::int64_t next_to_owned = side == 0 ? row - element_ : 0;
    layout_.x_halos[side] = {begin + next_to_owned + halo_.lower().y * row + halo_.lower().z * plane,
                             {element_, row, plane},
                             plane * planes()};
  }

  void append(Bytes bytes) { bytes_ += bytes.aligned_to(memory_alignment); }
  /// Because of padding, the memory can exceed the limit that the plan checks for the cells alone.
  std::int64_t so_far() const {
    return bytes_.value([&] {
      return fmt::format("memory for field '{}' of subdomain {}, {} x {} rows of {} bytes,", descriptor_->name,
                         subdomain_.value(), rows_in_plane(), planes(), row_);
    });
  }

  const partition::Geometry* geometry_;
  const FieldDescriptor* descriptor_;
  subdomain_id subdomain_;
  HaloWidth halo_;
  Vec3 owned_;
  std::int64_t element_;
  std::int64_t sector_;
  bool has_sectors_;
  std::int64_t row_alignment_;
  std::int64_t row_ = 0;  ///< bytes from a row to the next
  Bytes bytes_;
  Layout layout_;
};

}  // namespace

Arena make_arena(device::Backend& backend, int device, const partition::Geometry& geometry, subdomain_id subdomain,
                 const std::vector<bool>& ours) {
  const auto memory = [&] { return fmt::format("memory for the fields of subdomain {}", subdomain.value()); };
  Bytes all;
  std::vector<std::vector<std::int64_t>> offsets;
  std::vector<Layout> layouts;
  for (std::size_t f = 0; f < geometry.fields.size(); ++f) {
    layouts.push_back(LayoutOfField(geometry, field_id(static_cast<std::int64_t>(f)), subdomain, backend).layout());
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
      buffers.push_back(layouts[f].at(arena.buffer->data() + offset));
    }
  }
  return arena;
}

}  // namespace halocline
