// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/exchange_plan.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/hash.hpp"
#include "core/round_up.hpp"
#include "partition/shared_cells.hpp"

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

/// The place of the segment whose rows take turns with segment i's, or their number.
std::size_t other_end(std::span<const PackedSegment> all, std::span<const std::size_t> holders, std::size_t i) {
  std::size_t other = i + 1;
  while (other < all.size() && (holders[other] != other || !are_two_ends(all[i], all[other]))) ++other;
  return other;
}

/// partition::holders, or nothing but own places.
std::vector<std::size_t> holders_of(std::span<const PackedSegment> all, Layout layout) {
  if (layout == Layout::by_segment) {
    std::vector<std::size_t> own(all.size());
    std::iota(own.begin(), own.end(), std::size_t{0});
    return own;
  }
  std::vector<partition::Segment> segments;
  for (const PackedSegment& one : all) segments.push_back(one.segment);
  return partition::holders(segments);
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

void Payload::append(std::span<const PackedSegment> more, Layout layout, std::int64_t boundary) {
  const std::vector<std::size_t> holders = holders_of(more, layout);
  std::vector<std::optional<PackedBox>> boxes(more.size());
  const auto add = [&](std::size_t i, const PackedBox& box) {
    segments.push_back({more[i].segment, more[i].buffer, box, holders[i] == i});
    boxes[i] = box;
  };
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (holders[i] != i || boxes[i]) continue;
    const std::size_t other = layout == Layout::by_segment ? more.size() : other_end(more, holders, i);
    const int in_turns = other == more.size() ? 1 : 2;
    const std::int64_t offset = round_up(bytes, boundary);
    add(i, {more[i].segment.source, offset, 0, in_turns});
    if (in_turns == 2) add(other, {more[other].segment.source, offset, 1, in_turns});
    bytes = offset + aligned(in_turns * more[i].segment.bytes);
  }
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (holders[i] != i) add(i, *boxes[holders[i]]);
  }
}

Payload payload_of(const partition::Message& message, const Selection& selection, Layout layout) {
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
  payload.append(selected, layout);
  return payload;
}

std::int64_t payload_capacity(const partition::Message& message) {
  std::int64_t bytes = 0;
  for (const partition::Segment& segment : message.segments) bytes += aligned(segment.bytes);
  return bytes;
}

}  // namespace halocline::exchange
