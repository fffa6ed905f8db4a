// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/split_payload.hpp"

#include <algorithm>
#include <cstdint>

#include "core/packets.hpp"
#include "device/fused_exchange.hpp"
#include "halocline/error.hpp"

namespace halocline::exchange {
namespace {

/// Short rows that are stored apart follow one another without a gap, as in a receive buffer.
bool has_short_rows(const partition::Segment& segment, const partition::Geometry& geometry, const Tuning& tuning) {
  const FieldDescriptor& field = geometry.fields[segment.field.index()];
  return !partition::lands_apart(field, segment.direction) &&
         segment.source.extent().x * bytes_of(field.element) < tuning.short_row_bytes;
}

/// Whether a segment is sent in a narrower format than its cells have, in which no other device can store into its array.
bool is_narrowed(const partition::Segment& segment, const partition::Geometry& geometry) {
  return geometry.fields[segment.field.index()].wire.has_value();
}

/// The most bytes of a segment that can be in short rows: along x, the depth of an exchange determines how short rows
/// are.
std::int64_t most_in_short_rows(const partition::Segment& segment, const partition::Geometry& geometry,
                                const Tuning& tuning) {
  if (has_short_rows(segment, geometry, tuning)) return segment.bytes;
  const FieldDescriptor& field = geometry.fields[segment.field.index()];
  if (segment.direction[0] == 0 || partition::lands_apart(field, segment.direction)) return 0;
  const std::int64_t element = bytes_of(field.element);
  const std::int64_t most = std::max<std::int64_t>(tuning.short_row_bytes - 1, 0) / element;
  return segment.bytes / segment.source.extent().x * most;
}

/// In which dimension a segment is cut into n pieces: in z, or in y where there are too few planes in z.
int cut_dimension(const partition::Segment& segment, int n) {
  const Vec3 extent = segment.source.extent();
  return extent.z >= n || extent.z >= extent.y ? 2 : 1;
}

/// The planes of a segment that are in piece k of n.
partition::Segment cut(const partition::Segment& segment, int k, int n) {
  const int dim = cut_dimension(segment, n);
  const std::int64_t planes = segment.source.extent()[dim];
  const std::int64_t begin = planes * k / n;
  const std::int64_t end = planes * (k + 1) / n;
  partition::Segment piece = segment;
  for (Box* box : {&piece.source, &piece.target}) {
    box->hi[dim] = box->lo[dim] + end;
    box->lo[dim] += begin;
  }
  piece.bytes = planes == 0 ? 0 : segment.bytes / planes * (end - begin);
  return piece;
}

/// The planes of segments that are in piece k of n; of some there may be none.
std::vector<PackedSegment> cut(const std::vector<PackedSegment>& segments, int k, int n) {
  std::vector<PackedSegment> parts;
  for (const PackedSegment& item : segments) {
    const partition::Segment part = cut(item.segment, k, n);
    if (part.bytes > 0) parts.push_back({part, item.buffer});
  }
  return parts;
}

std::vector<Payload> cut_into_pieces(const std::vector<PackedSegment>& segments, int n) {
  std::vector<Payload> pieces;
  std::int64_t at = 0;
  for (int k = 0; k < n; ++k) {
    Payload piece;
    piece.bytes = at + SplitPayload::slack_bytes;
    piece.append(cut(segments, k, n), Layout::compact, SplitPayload::line_bytes);
    at = piece.bytes + SplitPayload::slack_bytes;
    if (!piece.segments.empty()) pieces.push_back(std::move(piece));
  }
  return pieces;
}

/// The bytes that packets take on a link, and in the packet buffer: a row of one packet occupies the space of two.
struct PacketBytes {
  std::int64_t link = 0;
  std::int64_t room = 0;
};

void add(PacketBytes& all, const partition::Segment& segment, const partition::Geometry& geometry) {
  const FieldDescriptor& field = geometry.fields[segment.field.index()];
  const Vec3 extent = segment.source.extent();
  const std::int64_t row_bytes = extent.x * bytes_of(field.element);
  const std::int64_t rows = extent.y * extent.z;
  const int components = partition::components_sent(field, segment.direction);
  all.link += packet_link_bytes(row_bytes, rows) * components;
  all.room += device::packet_room_bytes(row_bytes, rows) * components;
}

/// The largest packet buffer that packets need if they take at most `at_most` bytes on a link.
std::int64_t most_room(const partition::Message& message, const partition::Geometry& geometry, std::int64_t at_most) {
  if (at_most == 0) return 0;
  constexpr std::int64_t kilobyte = 1024;  // the space of each copy is rounded up to a multiple of it
  PacketBytes all;
  std::int64_t copies = 0;
  for (const partition::Segment& segment : message.segments) {
    if (is_narrowed(segment, geometry)) continue;
    add(all, segment, geometry);
    copies += partition::components_sent(geometry.fields[segment.field.index()], segment.direction);
  }
  return std::min(all.room, 2 * at_most + copies * kilobyte);
}

}  // namespace

SplitPayload split_payload(const partition::Message& message, const Selection& selection,
                           const partition::Geometry& geometry, const Tuning& tuning, RowAccess access) {
  Payload all = payload_of(message, selection, Layout::by_segment);
  SplitPayload split;
  PacketBytes packets;
  bool narrowed = false;
  for (const PackedSegment& item : all.segments) {
    add(packets, item.segment, geometry);
    narrowed = narrowed || is_narrowed(item.segment, geometry);
  }
  if (access.as_packets && !narrowed && all.bytes > 0 && packets.link <= tuning.packets_at_most_bytes) {
    if (packets.room > most_room(message, geometry, tuning.packets_at_most_bytes)) {
      throw InternalError("the packets of a message do not fit into their room");
    }
    split.packets = std::move(all);
    return split;
  }
  std::vector<PackedSegment> packed;
  std::vector<PackedSegment> rows;
  std::int64_t packed_bytes = 0;
  for (const PackedSegment& item : all.segments) {
    const bool packs =
        !access.in_place || is_narrowed(item.segment, geometry) || has_short_rows(item.segment, geometry, tuning);
    (packs ? packed : rows).push_back(item);
    if (packs) packed_bytes += item.segment.bytes;
  }
  if (access.in_place && !narrowed && packed_bytes < tuning.pack_short_rows_from_bytes) {
    return {std::move(all), {}, {}};
  }
  split.rows.append(rows, Layout::by_segment);
  split.pieces = cut_into_pieces(packed, pieces_of(packed_bytes, tuning.packed_piece_bytes));
  return split;
}

PackedRoom packed_room(const partition::Message& message, const partition::Geometry& geometry, const Tuning& tuning,
                       bool in_place) {
  partition::Message packed = message;
  bool always = !in_place;
  for (partition::Segment& segment : packed.segments) {
    const bool narrowed = is_narrowed(segment, geometry);
    always = always || narrowed;
    if (in_place && !narrowed) segment.bytes = most_in_short_rows(segment, geometry, tuning);
  }
  PackedRoom room;
  const std::int64_t packets = most_room(message, geometry, tuning.packets_at_most_bytes);
  if (packets > 0) room.packet_buffer_bytes = device::packet_buffer_bytes(packets);
  const std::int64_t bytes = payload_capacity(packed);
  if (bytes == 0 || (!always && bytes < tuning.pack_short_rows_from_bytes)) return room;
  room.pieces = pieces_of(bytes, tuning.packed_piece_bytes);
  // Each segment of a piece begins at a line, and what follows the piece behind a multiple of 16 bytes.
  const std::int64_t segments =
      std::ranges::count_if(packed.segments, [](const partition::Segment& segment) { return segment.bytes > 0; });
  const std::int64_t gaps = room.pieces * (2 * SplitPayload::slack_bytes + SplitPayload::line_bytes * (segments + 1));
  room.bytes = bytes + gaps;
  return room;
}

int pieces_of(std::int64_t bytes, std::int64_t piece_bytes) {
  return static_cast<int>(std::clamp<std::int64_t>(bytes / piece_bytes, 1, SplitPayload::most_pieces));
}

std::vector<Payload> in_parts(const Payload& payload, int n) {
  std::vector<Payload> parts(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) parts[static_cast<std::size_t>(k)].append(cut(payload.segments, k, n), Layout::compact);
  return parts;
}

/// Fewer planes may be cut in such a way, or in such a dimension, that a part has more of them, but never more than this.
std::int64_t part_capacity(const partition::Message& message, int n) {
  partition::Message part = message;
  for (partition::Segment& segment : part.segments) {
    const Vec3 extent = segment.source.extent();
    if (segment.bytes == 0) continue;
    const auto rows_of = [&](std::int64_t cut, std::int64_t across) { return (cut + n - 1) / n * across; };
    const std::int64_t rows = std::max(rows_of(extent.z, extent.y), rows_of(extent.y, extent.z));
    segment.bytes = segment.bytes / (extent.y * extent.z) * rows;
  }
  return payload_capacity(part);
}

bool may_go_as_packets(const partition::Geometry& geometry, const std::vector<std::vector<Array>>& arrays) {
  constexpr std::int64_t word = PacketFormat::word_bytes;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::int64_t element = bytes_of(geometry.fields[i].element);
    for (const Array& array : arrays[i]) {
      const bool words = reinterpret_cast<std::uintptr_t>(array.origin) % word == 0 && element % word == 0 &&
                         array.stride_bytes[1] % word == 0 && array.stride_bytes[2] % word == 0 &&
                         array.component_stride_bytes % word == 0;
      if (!words || array.stride_bytes[0] != element) return false;
    }
  }
  return true;
}

}  // namespace halocline::exchange
