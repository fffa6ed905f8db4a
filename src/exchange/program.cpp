#include "exchange/program.hpp"

#include "halocline/core/hash.hpp"

namespace halocline::exchange {
namespace {

constexpr std::int64_t aligned(std::int64_t bytes) { return (bytes + 15) / 16 * 16; }

void append(Payload& payload, const partition::Segment& segment, int set) {
  payload.segments.push_back({&segment, set, payload.bytes});
  payload.bytes += aligned(segment.bytes);
}

bool has_short_rows(const partition::Segment& segment, const partition::Geometry& geometry, const Tuning& tuning) {
  const Element element = geometry.fields[segment.field.index()].element;
  return segment.source.extent().x * bytes_of(element) < tuning.short_row_bytes;
}

}  // namespace

std::uint64_t Selection::token() const {
  Hash hash;
  for (const Item& item : items) hash.add(item.field.value()).add(std::int64_t{item.set});
  return hash.value();
}

Payload payload_of(const partition::Message& message, const Selection& selection) {
  Payload payload;
  for (const partition::Segment& segment : message.segments) {
    for (const Selection::Item& item : selection.items) {
      if (item.field == segment.field) append(payload, segment, item.set);
    }
  }
  return payload;
}

std::int64_t payload_capacity(const partition::Message& message) {
  std::int64_t bytes = 0;
  for (const partition::Segment& segment : message.segments) bytes += aligned(segment.bytes);
  return bytes;
}

SplitPayload split_payload(const partition::Message& message, const Selection& selection,
                           const partition::Geometry& geometry, const Tuning& tuning) {
  SplitPayload split;
  const Payload all = payload_of(message, selection);
  for (const PackedSegment& item : all.segments) {
    const bool is_short = has_short_rows(*item.segment, geometry, tuning);
    append(is_short ? split.packed : split.rows, *item.segment, item.set);
  }
  if (split.packed.bytes < tuning.pack_short_rows_from_bytes) return {all, {}};
  return split;
}

std::int64_t packed_capacity(const partition::Message& message, const partition::Geometry& geometry,
                             const Tuning& tuning) {
  std::int64_t bytes = 0;
  for (const partition::Segment& segment : message.segments) {
    if (has_short_rows(segment, geometry, tuning)) bytes += aligned(segment.bytes);
  }
  return bytes < tuning.pack_short_rows_from_bytes ? 0 : bytes;
}

}  // namespace halocline::exchange
