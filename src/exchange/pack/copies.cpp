// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/pack/copies.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/wire.hpp"

namespace halocline::exchange {
namespace {

/// One end of a copy: the first element's address, and the strides of a cell and of a component.
struct CopyEnd {
  std::byte* first = nullptr;
  std::array<std::int64_t, 3> stride{};
  std::int64_t component_stride = 0;
  bool only_sent = false;  ///< components that are not sent take no space
};

CopyEnd in_array(const Memory& memory, const PackedSegment& packed, const Box& box) {
  const StridedCells cells = memory.cells_at(packed.segment.field, packed.buffer, box.lo);
  const auto& [x, y, z] = cells.stride_bytes;
  return {cells.first, {x, y, z}, cells.component_stride_bytes};
}

/// The end in a payload: cells of a box, x fastest, one sent component after another, in the field's wire format. Between two rows of the
/// box lie the rows that take turns with them, and nothing else.
CopyEnd in_payload(std::byte* payload, const PackedSegment& packed, const FieldDescriptor& field) {
  const std::int64_t element_bytes = bytes_on_wire(field);
  const PackedBox& box = packed.box;
  const Vec3 extent = box.cells.extent();
  const std::int64_t row = extent.x * element_bytes;
  const std::int64_t from_row_to_row = box.in_turns * row;
  const std::int64_t plane = from_row_to_row * extent.y;
  const Vec3 first = packed.segment.source.lo - box.cells.lo;
  std::byte* const begin = payload + box.offset + box.turn * row;
  return {begin + first.x * element_bytes + first.y * from_row_to_row + first.z * plane,
          {element_bytes, from_row_to_row, plane},
          plane * extent.z,
          true};
}

using Way = device::Conversion::Way;

/// Complex numbers are sent as narrower complex ones.
Element real_of(Element element) {
  return element == Element::c128 ? Element::f64 : element == Element::c64 ? Element::f32 : element;
}

device::Conversion conversion_of(const FieldDescriptor& field, Way way) {
  if (!field.wire) return {};
  return {way, real_of(field.element), real_of(*field.wire)};
}

void append_rows(std::vector<device::StridedCopy>& copies, const FieldDescriptor& field, Direction direction,
                 const Vec3& extent, const CopyEnd& source, const CopyEnd& target, Way way) {
  int sent = 0;
  for (int component = 0; component < field.components; ++component) {
    if (!partition::is_sent(field, component, direction)) continue;
    const auto at = [&](const CopyEnd& end) {
      return end.first + (end.only_sent ? sent : component) * end.component_stride;
    };
    copies.push_back({.source = at(source),
                      .target = at(target),
                      .source_stride = source.stride,
                      .target_stride = target.stride,
                      .extent = extent,
                      .element_bytes = bytes_of(field.element),
                      .conversion = conversion_of(field, way)});
    ++sent;
  }
}

const FieldDescriptor& field_of(const Memory& memory, const PackedSegment& packed) {
  return memory.geometry->fields[packed.segment.field.index()];
}

}  // namespace

const Array& Memory::array(field_id field, int buffer) const {
  return (*arrays)[field.index()][static_cast<std::size_t>(buffer)];
}

StridedCells Memory::cells_at(field_id field, int buffer, const Vec3& p) const {
  return array(field, buffer).cells_at(p, geometry->owned(field, subdomain));
}

std::vector<device::StridedCopy> pack_copies(const Payload& payload, const Memory& sender, std::byte* packed) {
  std::vector<device::StridedCopy> copies;
  for (const PackedSegment& item : payload.segments) {
    if (!item.packs) continue;
    const FieldDescriptor& field = field_of(sender, item);
    append_rows(copies, field, item.segment.direction, item.segment.source.extent(),
                in_array(sender, item, item.segment.source), in_payload(packed, item, field), Way::pack);
  }
  return copies;
}

namespace {

/// Bytes by which a row grows at its two ends.
struct Margins {
  std::int64_t below = 0;
  std::int64_t above = 0;
};

Margins smaller(const Margins& a, const Margins& b) { return {std::min(a.below, b.below), std::min(a.above, b.above)}; }

/// How far a segment's rows may grow in an array without touching other cells: below and above the halo are spare bytes,
/// and owned cells may be read.
Margins room_at_target(const Memory& memory, const PackedSegment& packed) {
  const field_id field = packed.segment.field;
  const Box all = memory.geometry->with_halo(field, memory.subdomain);
  const Box& target = packed.segment.target;
  const Array& array = memory.array(field, packed.buffer);
  return {target.lo.x == all.lo.x ? array.spare_bytes[0] : 0, target.hi.x == all.hi.x ? array.spare_bytes[1] : 0};
}
Margins room_at_source(const Memory& memory, const PackedSegment& packed) {
  const field_id field = packed.segment.field;
  const Box owned = memory.geometry->owned(field, memory.subdomain);
  const Box& source = packed.segment.source;
  const std::int64_t element = bytes_of(field_of(memory, packed).element);
  return {(source.lo.x - owned.lo.x) * element, (owned.hi.x - source.hi.x) * element};
}

std::int64_t remainder(const std::byte* address, std::int64_t unit) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(unit));
}

constexpr std::array<std::int64_t, 2> sector_units{32, 16};

/// Whether all rows have the same alignment in words of `unit` bytes.
bool regular(const CopyEnd& end, std::int64_t unit) {
  return end.stride[1] % unit == 0 && end.stride[2] % unit == 0 && end.component_stride % unit == 0;
}

/// The margins that make a target's rows whole words of `unit` bytes, if there is space.
std::optional<Margins> margins_to(std::int64_t unit, const CopyEnd& target, std::int64_t row_bytes,
                                  const Margins& room) {
  if (!regular(target, unit)) return std::nullopt;
  const std::int64_t below = remainder(target.first, unit);
  const std::int64_t above = (unit - (below + row_bytes) % unit) % unit;
  if (below > room.below || above > room.above) return std::nullopt;
  return Margins{below, above};
}

/// Rows that are contiguous on both sides grow to whole sectors of the target, or at least to whole 16-byte words, if
/// there is space and fits(unit) is true for the source. Elements may be shorter in the source.
template <typename Fits>
void grow_rows(std::int64_t source_element, std::int64_t element_bytes, const Margins& room, const Fits& fits,
               CopyEnd& source, CopyEnd& target, Vec3& extent) {
  if (source.stride[0] != source_element || target.stride[0] != element_bytes) return;
  for (const std::int64_t unit : sector_units) {
    if (!fits(unit)) continue;
    const auto margins = margins_to(unit, target, extent.x * element_bytes, room);
    if (!margins) continue;
    source.first -= margins->below / element_bytes * source_element;
    target.first -= margins->below;
    extent.x += (margins->below + margins->above) / element_bytes;
    return;
  }
}

}  // namespace

std::vector<device::StridedCopy> unpack_copies(const Payload& payload, const Memory& receiver, const std::byte* packed,
                                               std::int64_t slack_bytes) {
  std::vector<device::StridedCopy> copies;
  for (const PackedSegment& item : payload.segments) {
    const FieldDescriptor& field = field_of(receiver, item);
    const std::int64_t element = bytes_of(field.element);
    // The payload is only read: it is the source here.
    CopyEnd source = in_payload(const_cast<std::byte*>(packed), item, field);
    CopyEnd target = in_array(receiver, item, item.segment.target);
    Vec3 extent = item.segment.target.extent();
    const Margins room = smaller(room_at_target(receiver, item), {slack_bytes, slack_bytes});
    grow_rows(
        bytes_on_wire(field), element, room, [](std::int64_t) { return true; }, source, target, extent);
    append_rows(copies, field, item.segment.direction, extent, source, target, Way::unpack);
  }
  return copies;
}

std::vector<device::StridedCopy> put_copies(const Payload& payload, const Memory& sender, const Memory& receiver) {
  std::vector<device::StridedCopy> copies;
  for (const PackedSegment& item : payload.segments) {
    const FieldDescriptor& field = field_of(sender, item);
    const std::int64_t element = bytes_of(field.element);
    CopyEnd source = in_array(sender, item, item.segment.source);
    CopyEnd target = in_array(receiver, item, item.segment.target);
    Vec3 extent = item.segment.source.extent();
    const Margins room = smaller(room_at_source(sender, item), room_at_target(receiver, item));
    const auto aligned_alike = [&](std::int64_t unit) {
      return regular(source, unit) && remainder(source.first, unit) == remainder(target.first, unit);
    };
    grow_rows(element, element, room, aligned_alike, source, target, extent);
    append_rows(copies, field, item.segment.direction, extent, source, target, Way::round);
  }
  return copies;
}

}  // namespace halocline::exchange
