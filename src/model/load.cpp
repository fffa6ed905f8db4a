// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/packets.hpp"
#include "core/round_up.hpp"
#include "core/wire.hpp"
#include "model/predict.hpp"
#include "partition/shared_cells.hpp"

namespace halocline::model {
namespace {

using machine::ExchangeRate;
using machine::HaloRows;
using partition::Geometry;
using partition::Message;
using partition::Segment;

const FieldDescriptor& field_of(const Geometry& geometry, const Segment& segment) {
  return geometry.fields[segment.field.index()];
}

std::int64_t element_bytes(const Geometry& geometry, const Segment& segment) {
  return bytes_of(field_of(geometry, segment).element);
}

bool is_narrowed(const Geometry& geometry, const Segment& segment) {
  return field_of(geometry, segment).wire.has_value();
}

std::int64_t row_bytes(const Geometry& geometry, const Segment& segment) {
  return segment.source.extent().x * element_bytes(geometry, segment);
}

bool lands_apart(const Geometry& geometry, const Segment& segment) {
  return partition::lands_apart(field_of(geometry, segment), segment.direction);
}

bool has_short_rows(const Geometry& geometry, const Segment& segment, const exchange::Tuning& tuning) {
  return row_bytes(geometry, segment) < tuning.short_row_bytes && !lands_apart(geometry, segment);
}

/// Where the rows of a segment's box begin in the memory of a subdomain, in bytes from the first owned cell of a row.
std::int64_t begin_in_row(const Geometry& geometry, const Segment& segment, subdomain_id subdomain, const Box& box) {
  return (box.lo.x - geometry.owned(segment.field, subdomain).lo.x) * element_bytes(geometry, segment);
}

/// The widest access to a row, where owned cells begin at a multiple of it, as they do in Halocline's own arrays.
int word_of(const Geometry& geometry, const Message& message, const Segment& segment, bool packed) {
  const std::int64_t from = begin_in_row(geometry, segment, message.from, segment.source);
  const std::int64_t to = begin_in_row(geometry, segment, message.to, segment.target);
  // The ends of rows that are not packed grow to whole words where they are aligned in the same way (exchange/pack/copies.cpp).
  if (!packed && segment.direction[0] != 0 && (from - to) % widest_word == 0) return widest_word;
  const std::int64_t all = from | to | row_bytes(geometry, segment) | widest_word;
  return static_cast<int>(all & -all);
}

/// Bytes of a segment's cells in memory; for short rows, bytes of the sectors that contain them.
std::int64_t counted_bytes(const Geometry& geometry, const Segment& segment, bool is_short) {
  const std::int64_t bytes =
      segment.bytes / bytes_on_wire(field_of(geometry, segment)) * element_bytes(geometry, segment);
  if (!is_short) return bytes;
  const std::int64_t row = row_bytes(geometry, segment);
  const std::int64_t sectors = (row + ExchangeRate::sector_bytes - 1) / ExchangeRate::sector_bytes;
  return bytes / row * sectors * ExchangeRate::sector_bytes;
}

/// Whether a message fills the halos at both ends of a row.
bool has_both_ends(const Message& message) {
  const auto leads = [&](int x) {
    return std::ranges::any_of(message.segments, [&](const Segment& segment) { return segment.direction[0] == x; });
  };
  return leads(-1) && leads(1);
}

/// Bytes of packed rows where they are unpacked, as memory takes time for them: of each row of up to a sector 36/48 of one, because a
/// place is touched, and 1/48 for each byte of its cells. Half as much again is for each sector that memory reads before a part of it is
/// stored: where rows begin in the sector that owned cells end in, and where the other end of the row, which lies in the same burst,
/// comes with another message or not at all. Measured on two H200 (docs/decisions/0018).
std::int64_t unpacked_bytes(const Geometry& geometry, const Message& message, const Segment& segment, bool both_ends) {
  constexpr std::int64_t sector = ExchangeRate::sector_bytes;
  const std::int64_t row = row_bytes(geometry, segment);
  std::int64_t bytes = counted_bytes(geometry, segment, true);
  if (row <= sector) bytes = bytes * (36 + row) / 48;
  const std::int64_t begin = begin_in_row(geometry, segment, message.to, segment.target);
  if (begin >= 0 && begin % sector != 0) {
    const std::int64_t sectors = begin % sector + row > sector ? 2 : 1;
    return bytes * sectors * 3 / 2;
  }
  return both_ends ? bytes : bytes * 3 / 2;
}

/// Whether the message's short rows are packed, as exchange/program.cpp decides it.
bool packs(const Geometry& geometry, const Message& message, const exchange::Tuning& tuning) {
  std::int64_t bytes = 0;
  for (const Segment& segment : message.segments) {
    if (is_narrowed(geometry, segment)) return true;
    if (has_short_rows(geometry, segment, tuning)) bytes += round_up(segment.bytes, 16);
  }
  return bytes >= tuning.pack_short_rows_from_bytes;
}

/// What a segment takes of a link as packets.
std::int64_t packet_bytes(const Geometry& geometry, const Segment& segment) {
  const std::int64_t row = row_bytes(geometry, segment);
  return packet_link_bytes(row, segment.bytes / row);
}

/// Whether a message goes as packets, as exchange/split_payload.cpp decides it.
bool goes_as_packets(const Geometry& geometry, const Message& message, const exchange::Tuning& tuning) {
  if (tuning.packets_at_most_bytes == 0) return false;
  const auto is_whole_words = [](const FieldDescriptor& field) {
    return bytes_of(field.element) % PacketFormat::word_bytes == 0;
  };
  if (!std::ranges::all_of(geometry.fields, is_whole_words)) return false;
  std::int64_t bytes = 0;
  for (const Segment& segment : message.segments) {
    if (is_narrowed(geometry, segment)) return false;
    bytes += packet_bytes(geometry, segment);
  }
  return bytes <= tuning.packets_at_most_bytes;
}

/// Rows of halos that are stored apart have no gaps where they are stored. Within a device, reading the short ones still touches whole
/// sectors.
void add_apart(Load::Bytes& all, const Geometry& geometry, const Message& message, const Segment& segment,
               const exchange::Tuning& tuning) {
  if (message.from != message.to || row_bytes(geometry, segment) >= tuning.short_row_bytes) {
    all[{HaloRows::long_rows, widest_word}] += segment.bytes;
    return;
  }
  all[{HaloRows::short_rows, widest_word}] +=
      (counted_bytes(geometry, segment, true) + counted_bytes(geometry, segment, false)) / 2;
}

/// packed: short rows and cells in a wire format, of a message to another device.
void add(Load::Bytes& all, const Geometry& geometry, const Message& message, bool packed,
         const exchange::Tuning& tuning) {
  const bool both_ends = packed && has_both_ends(message);
  for (const Segment& segment : message.segments) {
    if (lands_apart(geometry, segment)) {
      add_apart(all, geometry, message, segment, tuning);
      continue;
    }
    const bool is_short = has_short_rows(geometry, segment, tuning);
    if (packed && !is_short && is_narrowed(geometry, segment)) {
      // They are unpacked at the speed of memory while others cross the link.
      all[{HaloRows::long_rows, widest_word}] += segment.bytes;
      continue;
    }
    const HaloRows rows = !is_short ? HaloRows::long_rows : packed ? HaloRows::packed_rows : HaloRows::short_rows;
    const int word = word_of(geometry, message, segment, rows == HaloRows::packed_rows);
    if (rows == HaloRows::packed_rows) {
      all[{rows, word}] += unpacked_bytes(geometry, message, segment, both_ends);
      all.packed_cells += segment.bytes;
    } else {
      all[{rows, word}] += counted_bytes(geometry, segment, is_short);
    }
  }
}

/// Of a message to another device.
void add_sent(Load::Bytes& all, const Geometry& geometry, const Message& message, const exchange::Tuning& tuning) {
  if (!goes_as_packets(geometry, message, tuning)) {
    add(all, geometry, message, packs(geometry, message, tuning), tuning);
    return;
  }
  for (const Segment& segment : message.segments) {
    const bool is_short = has_short_rows(geometry, segment, tuning);
    const int word = is_short ? static_cast<int>(PacketFormat::word_bytes) : widest_word;
    all[{HaloRows::packets, word}] += packet_bytes(geometry, segment);
  }
}

}  // namespace

Load::Bytes rows_of(const Geometry& geometry, const Message& message, const exchange::Tuning& tuning) {
  Load::Bytes rows;
  if (message.from == message.to) {
    add(rows, geometry, message, false, tuning);
  } else {
    add_sent(rows, geometry, message, tuning);
  }
  return rows;
}

Load load_of(const Geometry& geometry, subdomain_id subdomain, const exchange::Tuning& tuning) {
  Load load;
  const partition::Partition& partition = geometry.partition;
  const std::int64_t node = partition.node_part_of(subdomain);
  for (const Message& message : partition::outgoing(geometry, subdomain)) {
    if (message.to == subdomain) {
      add(load.local, geometry, message, false, tuning);
      continue;
    }
    load.sent += message.bytes();
    if (partition.node_part_of(message.to) == node) {
      add_sent(load.out, geometry, message, tuning);
    } else {
      load.network_out += partition::bytes_once(message);
    }
  }
  for (const Message& message : partition::incoming(geometry, subdomain)) {
    if (message.from == subdomain) continue;
    if (partition.node_part_of(message.from) == node) {
      add_sent(load.in, geometry, message, tuning);
    } else {
      load.network_in += partition::bytes_once(message);
    }
  }
  return load;
}

}  // namespace halocline::model
