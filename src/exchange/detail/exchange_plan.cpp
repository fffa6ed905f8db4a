// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/exchange_plan.hpp"

#include <algorithm>

#include "core/hash.hpp"
#include "core/round_up.hpp"

namespace halocline::exchange {
namespace {

constexpr std::int64_t aligned(std::int64_t bytes) { return round_up(bytes, 16); }

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

}  // namespace

std::uint64_t Selection::token() const {
  Hash hash;
  for (const Item& item : items) {
    hash.add(item.field.value()).add(std::int64_t{item.buffer});
    hash.add(static_cast<std::int64_t>(item.directions.to_ulong())).add(item.depth);
  }
  return hash.value();
}

void Payload::append(const partition::Segment& segment, int buffer) {
  segments.push_back({segment, buffer, bytes});
  bytes += aligned(segment.bytes);
}

void Payload::append_in_turns(const partition::Segment& first, const partition::Segment& second, int buffer,
                              std::int64_t row_bytes) {
  segments.push_back({first, buffer, bytes, 2});
  segments.push_back({second, buffer, bytes + row_bytes, 2});
  bytes += aligned(first.bytes + second.bytes);
}

Payload payload_of(const partition::Message& message, const Selection& selection) {
  Payload payload;
  for (const partition::Segment& segment : message.segments) {
    for (const Selection::Item& item : selection.items) {
      if (item.field != segment.field || !item.directions.test(static_cast<std::size_t>(segment.direction.index()))) {
        continue;
      }
      payload.append(within(segment, item.depth), item.buffer);
    }
  }
  return payload;
}

std::int64_t payload_capacity(const partition::Message& message) {
  std::int64_t bytes = 0;
  for (const partition::Segment& segment : message.segments) bytes += aligned(segment.bytes);
  return bytes;
}

}  // namespace halocline::exchange
