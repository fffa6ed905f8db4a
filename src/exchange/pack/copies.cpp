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

std::vector<device::StridedCopy> put_copies(const Payload& payload, const Memory& sender, const Memory& receiver) {
  std::vector<device::StridedCopy> copies;
  for (const PackedSegment& item : payload.segments) {
    append(copies, field_of(sender, item), item.segment->source.extent(), in_array(sender, item, item.segment->source),
           in_array(receiver, item, item.segment->target));
  }
  return copies;
}

}  // namespace halocline::exchange
