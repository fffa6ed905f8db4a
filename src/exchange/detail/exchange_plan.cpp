// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/exchange_plan.hpp"

#include <algorithm>

#include "core/hash.hpp"
#include "core/round_up.hpp"

namespace halocline::exchange {
namespace {

constexpr std::int64_t aligned(std::int64_t bytes) { return round_up(bytes, Payload::least_boundary); }

/// The part of a segment up to a distance from the receiver's owned cells.
partition::Segment within(const partition::Segment& segment, std::int64_t depth) {
  partition::Segment part = segment;
  for (Box* box : {&part.source, &part.target}) {
    for (int dim = 0; dim < 3; ++dim) {
      const std::int64_t width = std::min(depth, box->extent()[dim]);
      // Cells that are sent upwards fill a lower halo, whose last cells are the nearest.
      if (segment.direction[dim] > 0) box->lo[dim] = box->hi[dim] - width;
      if (segment.direction[dim] < 0) box->hi[dim] = box->lo[dim] + width;
    }
  }
  const std::int64_t cells = segment.target.volume();
  part.bytes = cells == 0 ? 0 : segment.bytes / cells * part.target.volume();
  return part;
}

bool are_two_ends(const PackedSegment& a, const PackedSegment& b) {
  const Direction opposite = Direction::of(-a.segment.direction[0], a.segment.direction[1], a.segment.direction[2]);
  return a.segment.field == b.segment.field && a.buffer == b.buffer && a.segment.direction[0] != 0 &&
         b.segment.direction == opposite && a.segment.source.extent() == b.segment.source.extent() &&
         a.segment.bytes == b.segment.bytes;
}

}  // namespace

std::uint64_t Selection::token() const {
  Hash hash;
  for (const Item& item : items) {
    hash.add(item.field.value()).add(std::int64_t{item.buffer});
    hash.add(static_cast<std::int64_t>(item.directions.to_ulong())).add(item.depth);
  }
  return hash.value();
}

void Payload::append(std::span<const PackedSegment> more, RowEnds ends, std::int64_t boundary) {
  std::vector<bool> placed(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (placed[i]) continue;
    std::size_t other = ends == RowEnds::apart ? more.size() : i + 1;
    while (other < more.size() && (placed[other] || !are_two_ends(more[i], more[other]))) ++other;
    const int in_turns = other == more.size() ? 1 : 2;
    const std::int64_t offset = round_up(bytes, boundary);
    segments.push_back({more[i].segment, more[i].buffer, offset, 0, in_turns});
    bytes = offset + aligned(in_turns * more[i].segment.bytes);
    if (in_turns == 1) continue;
    segments.push_back({more[other].segment, more[other].buffer, offset, 1, in_turns});
    placed[other] = true;
  }
}

Payload payload_of(const partition::Message& message, const Selection& selection, RowEnds ends) {
  std::vector<PackedSegment> selected;
  for (const partition::Segment& segment : message.segments) {
    for (const Selection::Item& item : selection.items) {
      if (item.field != segment.field || !item.directions.test(static_cast<std::size_t>(segment.direction.index()))) {
        continue;
      }
      selected.push_back({within(segment, item.depth), item.buffer});
    }
  }
  Payload payload;
  payload.append(selected, ends);
  return payload;
}

std::int64_t payload_capacity(const partition::Message& message) {
  std::int64_t bytes = 0;
  for (const partition::Segment& segment : message.segments) bytes += aligned(segment.bytes);
  return bytes;
}

}  // namespace halocline::exchange
