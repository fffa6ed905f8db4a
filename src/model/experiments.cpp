// SPDX-License-Identifier: BSD-3-Clause
#include "model/experiments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "machine/names.hpp"
#include "partition/strategy.hpp"

namespace halocline::model {
namespace {

using machine::ExchangeRate;
using machine::HaloPath;
using machine::HaloRows;

constexpr int wide = 16;
constexpr int narrow = 4;
constexpr std::int64_t radius = 3;
constexpr std::int64_t field_count = 4;
/// Of the two halos of a dimension, for each cell of the face between them.
constexpr std::int64_t halo_bytes = 2 * radius * field_count * 4;
/// Of what is measured of packets: they take 16/14 of it, and ends of rows, of what a message of packets may.
constexpr std::int64_t most_packet_cells = exchange::Tuning{}.packets_at_most_bytes / 8 * 5;

/// Cells of a subdomain, at least `least` in each dimension.
Vec3 at_least(const Vec3& extent, std::int64_t least) {
  return {std::max(extent.x, least), std::max(extent.y, least), std::max(extent.z, least)};
}

}  // namespace

std::vector<ExchangeRate> kinds_to_measure(int devices) {
  std::vector<ExchangeRate> kinds;
  for (const bool concurrent : {false, true}) {
    for (const HaloPath path : machine::all_halo_paths) {
      if (devices < 2 && (concurrent || path == HaloPath::link)) continue;
      for (const HaloRows rows : machine::all_halo_rows) {
        if (path == HaloPath::local && (rows == HaloRows::packed_rows || rows == HaloRows::packets)) continue;
        for (const int word : {wide, narrow}) {
          // Where they are packed, rows do not grow to whole words.
          if (rows == HaloRows::packed_rows && word == wide) continue;
          kinds.push_back({path, rows, concurrent, word});
        }
      }
    }
  }
  return kinds;
}

Experiment experiment(const ExchangeRate& kind, const ExperimentSize& size, int devices) {
  const bool local = kind.path == HaloPath::local;
  const bool packets = kind.rows == HaloRows::packets;
  const bool is_narrow = kind.word_bytes == narrow;
  const bool is_short =
      kind.rows == HaloRows::short_rows || kind.rows == HaloRows::packed_rows || (packets && is_narrow);
  // An odd number of cells allows words of one cell. Packed rows of three cells have those anyway, in packets, too.
  const std::int64_t row = size.large >= (std::int64_t{4} << 20) && !packets ? 512 : 64;
  const std::int64_t x = is_narrow && kind.rows != HaloRows::packed_rows && !packets ? row - 3 : row;
  // Messages that go as packets are small. Both faces may be one message.
  const std::int64_t bytes =
      packets && size.large > most_packet_cells ? size.bytes * most_packet_cells / size.large : size.bytes;
  const std::int64_t faces = bytes / halo_bytes;  // cells of a face whose two halos have this number of bytes
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(faces)));

  Experiment made;
  Vec3 cells;   // of a subdomain
  Vec3 widths;  // of its halos
  int cut = 2;  // the dimension in which neighbours are others
  if (is_short) {
    // Faces in x, concurrent with faces in z that cross a link, or with faces in y that do not.
    cells = {x, side, side};
    widths = {radius, 0, 0};
    if (!local) cut = 0;
    if (kind.concurrent) widths[local ? 2 : 1] = local ? 1 : radius;
    // The concurrent transfers over a link have to take less time than they do.
    if (kind.concurrent && local) cells = {x, side / 4, 4 * side};
  } else if (local) {
    // Long rows within a device's memory take so little time that there have to be more. Faces in y, concurrent with small ones in z.
    cells = {x, 8, 4 * faces / x};
    widths = {0, radius, kind.concurrent ? 1 : 0};
  } else {
    // Faces in z, concurrent with local ones in x with half of their cells: less, where rows are narrow and take much longer.
    cells = {x, faces / x, kind.concurrent ? (is_narrow ? row / 8 : row / 2) : 8};
    widths = {kind.concurrent ? radius : 0, 0, radius};
  }
  made.device_grid = Vec3::filled(1);
  made.device_grid[cut] = devices;
  made.extent = at_least(cells, 4) * made.device_grid;
  made.stencil = Stencil::box(widths.x, widths.y, widths.z).without_edges().without_corners();
  for (std::int64_t f = 0; f < field_count; ++f) {
    made.fields.emplace_back();
    made.fields.back().name = fmt::format("f{}", f);
  }
  constexpr std::int64_t never = std::int64_t{1} << 60;
  made.tuning.pack_short_rows_from_bytes = kind.rows == HaloRows::packed_rows ? 1 : never;
  // Messages that are concurrent with local copies are sent as in the other experiments.
  if (!local && !packets) made.tuning.packets_at_most_bytes = 0;
  return made;
}

partition::Geometry Experiment::geometry() const {
  return {partition::make_partition({.extent = extent,
                                     .halo = stencil,
                                     .devices_per_node = device_grid.volume(),
                                     .method = partition::Method::given,
                                     .device_grid = device_grid}),
          fields, stencil};
}

std::string kind_text(const ExchangeRate& kind) {
  const bool local = kind.path == HaloPath::local;
  const char* const concurrent = !kind.concurrent ? "" : local ? " with links" : " with local ones";
  if (kind.rows == HaloRows::packets) {
    const char* const rows = kind.word_bytes == narrow ? "short" : "long";
    return fmt::format("{}, packets of {} rows{}", machine::to_string(kind.path), rows, concurrent);
  }
  return fmt::format("{}, {} rows{}, words of {} bytes", machine::to_string(kind.path), machine::to_string(kind.rows),
                     concurrent, kind.word_bytes);
}

}  // namespace halocline::model
