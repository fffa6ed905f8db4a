#include "exchange/pack/copies.hpp"

namespace halocline::exchange {
namespace {

/// One end of a copy: the first element's address, and the strides of a cell and of a component.
struct End {
  std::byte* first;
  std::array<std::int64_t, 3> stride;
  std::int64_t component_stride;
};

End in_array(const Memory& memory, const PackedSegment& packed, const Box& box) {
  const Array& array = memory.array(packed.segment->field, packed.set);
  return {memory.address(packed.segment->field, packed.set, box.lo), array.stride_bytes, array.component_stride_bytes};
}

/// Dense, x fastest, components one behind the other.
End in_payload(std::byte* payload, const PackedSegment& packed, std::int64_t element_bytes) {
  const Vec3 extent = packed.segment->source.extent();
  const std::int64_t row = extent.x * element_bytes;
  return {payload + packed.offset, {element_bytes, row, row * extent.y}, row * extent.y * extent.z};
}

void append(std::vector<device::StridedCopy>& copies, const FieldDescriptor& field, const Vec3& extent,
            const End& source, const End& target) {
  for (int component = 0; component < field.components; ++component) {
    copies.push_back({.source = source.first + component * source.component_stride,
                      .target = target.first + component * target.component_stride,
                      .source_stride = source.stride,
                      .target_stride = target.stride,
                      .extent = extent,
                      .element_bytes = bytes_of(field.element)});
  }
}

const FieldDescriptor& field_of(const Memory& memory, const PackedSegment& packed) {
  return memory.geometry->fields[packed.segment->field.index()];
}

}  // namespace

const Array& Memory::array(field_id field, int set) const {
  return (*arrays)[field.index()][static_cast<std::size_t>(set)];
}

std::byte* Memory::address(field_id field, int set, const Vec3& p) const {
  const Array& a = array(field, set);
  const Vec3 step = p - geometry->owned(field, subdomain).lo;
  return a.origin + step.x * a.stride_bytes[0] + step.y * a.stride_bytes[1] + step.z * a.stride_bytes[2];
}

std::vector<device::StridedCopy> pack_copies(const Payload& payload, const Memory& sender, std::byte* packed) {
  std::vector<device::StridedCopy> copies;
  for (const PackedSegment& item : payload.segments) {
    const FieldDescriptor& field = field_of(sender, item);
    append(copies, field, item.segment->source.extent(), in_array(sender, item, item.segment->source),
           in_payload(packed, item, bytes_of(field.element)));
  }
  return copies;
}

std::vector<device::StridedCopy> unpack_copies(const Payload& payload, const Memory& receiver,
                                               const std::byte* packed) {
  std::vector<device::StridedCopy> copies;
  for (const PackedSegment& item : payload.segments) {
    const FieldDescriptor& field = field_of(receiver, item);
    // The payload is only read: it is the source here.
    const End source = in_payload(const_cast<std::byte*>(packed), item, bytes_of(field.element));
    append(copies, field, item.segment->target.extent(), source, in_array(receiver, item, item.segment->target));
  }
  return copies;
}

namespace {

/// Bytes by which a row grows at its two ends.
struct Margins {
  std::int64_t below = 0;
  std::int64_t above = 0;
};

/// How far a segment's rows may grow in an array without touching other cells: below and above the halo are spare bytes,
/// and owned cells may be read.
Margins room_at_target(const Memory& memory, const PackedSegment& packed) {
  const field_id field = packed.segment->field;
  const Box all = memory.geometry->with_halo(field, memory.subdomain);
  const Box& target = packed.segment->target;
  const Array& array = memory.array(field, packed.set);
  return {target.lo.x == all.lo.x ? array.spare_bytes[0] : 0, target.hi.x == all.hi.x ? array.spare_bytes[1] : 0};
}
Margins room_at_source(const Memory& memory, const PackedSegment& packed) {
  const field_id field = packed.segment->field;
  const Box owned = memory.geometry->owned(field, memory.subdomain);
  const Box& source = packed.segment->source;
  const std::int64_t element = bytes_of(field_of(memory, packed).element);
  return {(source.lo.x - owned.lo.x) * element, (owned.hi.x - source.hi.x) * element};
}

std::int64_t remainder(const std::byte* address, std::int64_t unit) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(unit));
}

/// The margins that make rows whole sectors of memory at both ends of a copy, or at least whole 16-byte words; none where
/// the two are not aligned alike, or there is no room.
Margins margins_of(const End& source, const End& target, std::int64_t row_bytes, const Margins& source_room,
                   const Margins& target_room) {
  for (const std::int64_t unit : {32, 16}) {
    const auto aligned = [&](std::int64_t stride) { return stride % unit == 0; };
    const auto strides_aligned = [&](const End& end) {
      return aligned(end.stride[1]) && aligned(end.stride[2]) && aligned(end.component_stride);
    };
    if (!strides_aligned(source) || !strides_aligned(target)) continue;
    if (remainder(source.first, unit) != remainder(target.first, unit)) continue;
    const std::int64_t below = remainder(target.first, unit);
    const std::int64_t above = (unit - (below + row_bytes) % unit) % unit;
    if (below > source_room.below || below > target_room.below) continue;
    if (above > source_room.above || above > target_room.above) continue;
    return {below, above};
  }
  return {};
}

}  // namespace

std::vector<device::StridedCopy> put_copies(const Payload& payload, const Memory& sender, const Memory& receiver) {
  std::vector<device::StridedCopy> copies;
  for (const PackedSegment& item : payload.segments) {
    const FieldDescriptor& field = field_of(sender, item);
    const std::int64_t element = bytes_of(field.element);
    End source = in_array(sender, item, item.segment->source);
    End target = in_array(receiver, item, item.segment->target);
    Vec3 extent = item.segment->source.extent();
    if (source.stride[0] == element && target.stride[0] == element) {
      const Margins margins =
          margins_of(source, target, extent.x * element, room_at_source(sender, item), room_at_target(receiver, item));
      source.first -= margins.below;
      target.first -= margins.below;
      extent.x += (margins.below + margins.above) / element;
    }
    append(copies, field, extent, source, target);
  }
  return copies;
}

}  // namespace halocline::exchange
