#include "exchange/split_payload.hpp"

#include <algorithm>

namespace halocline::exchange {
namespace {

bool has_short_rows(const partition::Segment& segment, const partition::Geometry& geometry, const Tuning& tuning) {
  const Element element = geometry.fields[segment.field.index()].element;
  return segment.source.extent().x * bytes_of(element) < tuning.short_row_bytes;
}

int pieces_of(std::int64_t bytes, const Tuning& tuning) {
  return static_cast<int>(std::clamp<std::int64_t>(bytes / tuning.packed_piece_bytes, 1, SplitPayload::most_pieces));
}

/// The planes of a segment that are in piece k of n.
partition::Segment cut(const partition::Segment& segment, int k, int n) {
  const std::int64_t planes = segment.source.extent().z;
  const std::int64_t begin = planes * k / n;
  const std::int64_t end = planes * (k + 1) / n;
  partition::Segment piece = segment;
  for (Box* box : {&piece.source, &piece.target}) {
    box->hi.z = box->lo.z + end;
    box->lo.z += begin;
  }
  piece.bytes = planes == 0 ? 0 : segment.bytes / planes * (end - begin);
  return piece;
}

std::vector<Payload> cut_into_pieces(const std::vector<PackedSegment>& segments, int n) {
  std::vector<Payload> pieces;
  std::int64_t at = 0;
  for (int k = 0; k < n; ++k) {
    Payload piece;
    piece.bytes = at + SplitPayload::slack_bytes;
    for (const PackedSegment& item : segments) {
      const partition::Segment part = cut(item.segment, k, n);
      if (part.bytes > 0) piece.append(part, item.set);
    }
    at = piece.bytes + SplitPayload::slack_bytes;
    if (!piece.segments.empty()) pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace

SplitPayload split_payload(const partition::Message& message, const Selection& selection,
                           const partition::Geometry& geometry, const Tuning& tuning) {
  Payload all = unstored_payload_of(message, selection);
  SplitPayload split;
  Payload packed;
  for (const PackedSegment& item : all.segments) {
    const bool is_short = has_short_rows(item.segment, geometry, tuning);
    (is_short ? packed : split.rows).append(item.segment, item.set);
  }
  if (packed.bytes < tuning.pack_short_rows_from_bytes) return {std::move(all), {}};
  split.pieces = cut_into_pieces(packed.segments, pieces_of(packed.bytes, tuning));
  return split;
}

PackedRoom packed_room(const partition::Message& message, const partition::Geometry& geometry, const Tuning& tuning) {
  Payload packed;
  for (const partition::Segment& segment : message.segments) {
    if (has_short_rows(segment, geometry, tuning)) packed.append(segment, 0);
  }
  if (packed.bytes == 0 || packed.bytes < tuning.pack_short_rows_from_bytes) return {};
  const int pieces = pieces_of(packed.bytes, tuning);
  // Each piece may begin at a multiple of 16 bytes, and end behind one, in each of its segments.
  const std::int64_t gaps = pieces * (2 * SplitPayload::slack_bytes + 16 * std::ssize(packed.segments));
  return {packed.bytes + gaps, pieces};
}

}  // namespace halocline::exchange
