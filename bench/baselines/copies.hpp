// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Copies of boxes between arrays and buffers: pack, unpack and local wrap are lists of them. The code of one item runs
// in kernels and, as their reference, on the host.
#include <cstdint>
#include <vector>

#ifdef __CUDACC__
#define HALOCLINE_BENCH_BOTH __host__ __device__
#else
#define HALOCLINE_BENCH_BOTH
#endif

namespace halocline::bench {

struct alignas(16) Quad {
  float cell[4];
};

/// Of cells that are used once: they need no place in a cache.
HALOCLINE_BENCH_BOTH inline Quad read_once(const float* from) {
#ifdef __CUDA_ARCH__
  const float4 value = __ldcs(reinterpret_cast<const float4*>(from));
  return {{value.x, value.y, value.z, value.w}};
#else
  return *reinterpret_cast<const Quad*>(from);
#endif
}
HALOCLINE_BENCH_BOTH inline void write_once(float* to, const Quad& value) {
#ifdef __CUDA_ARCH__
  __stcs(reinterpret_cast<float4*>(to), make_float4(value.cell[0], value.cell[1], value.cell[2], value.cell[3]));
#else
  *reinterpret_cast<Quad*>(to) = value;
#endif
}

/// Cells of all fields: strides in elements, from the first cell of a box.
struct View {
  float* base = nullptr;
  std::int64_t field = 0;
  std::int64_t x = 1;
  std::int64_t y = 0;
  std::int64_t z = 0;

  [[nodiscard]] HALOCLINE_BENCH_BOTH float* at(int f, std::int64_t ix, std::int64_t iy, std::int64_t iz) const {
    return base + f * field + ix * x + iy * y + iz * z;
  }
};

/// What one thread moves at a time, of four fields at once.
enum class Item : int {
  quads,     ///< four cells of a row; both sides are aligned to 16 bytes
  ends,      ///< half of a sector, at both ends of a row: the halos in x, whole with the padding next to them
  rows_out,  ///< a row of 1 to 4 cells, read as one aligned quad, written to one plane a cell
  rows_in,   ///< the reverse, to both ends of a row as `ends`; padding becomes 0
  cells,     ///< one cell
};

inline constexpr std::uint32_t sector = 8;  ///< cells of 32 bytes, which memory is written in

struct Copy {
  View from;
  View to;
  std::uint32_t nx = 0, ny = 0, nz = 0;
  Item item = Item::cells;
  std::uint32_t shift = 0;  ///< of the row in its quad, for rows_out
  std::uint32_t first_tile = 0;
  /// For ends and rows_in, in elements from the lower end to the upper one.
  std::int64_t from_upper = 0;
  std::int64_t to_upper = 0;

  [[nodiscard]] HALOCLINE_BENCH_BOTH std::uint32_t items() const {
    const std::uint32_t rows = ny * nz;
    switch (item) {
      case Item::quads: return nx / 4 * rows;
      case Item::ends:
      case Item::rows_in: return 4 * (rows + 1);
      case Item::rows_out: return rows;
      default: return nx * rows;
    }
  }
};

/// What a thread moves of the ends of rows: half of a sector. Four threads take the upper halo of a row and the lower one of the
/// next, which share a burst of memory.
struct End {
  std::uint32_t row;
  bool upper;
  std::uint32_t half;  ///< of the sector

  /// Of the item; a row that is not there where the first or the last row has no neighbour.
  HALOCLINE_BENCH_BOTH explicit End(std::uint32_t item)
      : row(item / 4 - (item % 4 < 2 ? 1 : 0)), upper(item % 4 < 2), half(item % 2) {}
};

inline constexpr int most_copies = 26;
inline constexpr int fields_at_once = 4;
inline constexpr std::uint32_t items_a_tile = 256;

/// One launch. Its tiles are numbered through its copies.
struct Job {
  Copy copy[most_copies];
  int copies = 0;
  int fields = 0;
  std::uint32_t tiles = 0;
};
static_assert(sizeof(Job) < 4000, "a job is a kernel's argument");

[[nodiscard]] Job job_of(const std::vector<Copy>& copies, int fields);

namespace item {

HALOCLINE_BENCH_BOTH inline void quads(const Copy& c, std::uint32_t i, int first, int fields) {
  const std::uint32_t in_row = c.nx / 4;
  const std::uint32_t x = i % in_row * 4;
  const std::uint32_t row = i / in_row;
  const std::uint32_t y = row % c.ny;
  const std::uint32_t z = row / c.ny;
  Quad value[fields_at_once];
  for (int f = 0; f < fields_at_once; ++f) {
    if (first + f < fields) value[f] = *reinterpret_cast<const Quad*>(c.from.at(first + f, x, y, z));
  }
  for (int f = 0; f < fields_at_once; ++f) {
    if (first + f < fields) *reinterpret_cast<Quad*>(c.to.at(first + f, x, y, z)) = value[f];
  }
}

HALOCLINE_BENCH_BOTH inline void rows_out(const Copy& c, std::uint32_t row, int first, int fields) {
  const std::uint32_t y = row % c.ny;
  const std::uint32_t z = row / c.ny;
  Quad value[fields_at_once];
  for (int f = 0; f < fields_at_once; ++f) {
    if (first + f < fields) value[f] = *reinterpret_cast<const Quad*>(c.from.at(first + f, 0, y, z) - c.shift);
  }
  for (int f = 0; f < fields_at_once; ++f) {
    for (std::uint32_t k = 0; k < 4; ++k) {
      if (first + f < fields && k >= c.shift && k < c.shift + c.nx) {
        *c.to.at(first + f, k - c.shift, y, z) = value[f].cell[k];
      }
    }
  }
}

HALOCLINE_BENCH_BOTH inline void ends(const Copy& c, std::uint32_t i, int first, int fields) {
  const End end(i);
  if (end.row >= c.ny * c.nz) return;
  const std::uint32_t y = end.row % c.ny;
  const std::uint32_t z = end.row / c.ny;
  const std::int64_t from = end.upper ? c.from_upper : 0;
  const std::int64_t to = end.upper ? c.to_upper : 0;
  Quad value[fields_at_once];
  for (int f = 0; f < fields_at_once; ++f) {
    if (first + f < fields) value[f] = read_once(c.from.at(first + f, 4 * end.half, y, z) + from);
  }
  for (int f = 0; f < fields_at_once; ++f) {
    if (first + f < fields) write_once(c.to.at(first + f, 4 * end.half, y, z) + to, value[f]);
  }
}

HALOCLINE_BENCH_BOTH inline void rows_in(const Copy& c, std::uint32_t i, int first, int fields) {
  const End end(i);
  if (end.row >= c.ny * c.nz) return;
  const std::uint32_t y = end.row % c.ny;
  const std::uint32_t z = end.row / c.ny;
  const std::int64_t from = end.upper ? c.from_upper : 0;
  const std::int64_t to = end.upper ? c.to_upper : 0;
  // The lower halo ends at the sector's end, the upper one begins at its beginning.
  const bool holds_cells = end.upper == (end.half == 0);
  const std::uint32_t begin = end.upper ? 0 : 4 - c.nx;
  Quad value[fields_at_once];
  for (int f = 0; f < fields_at_once; ++f) {
    for (std::uint32_t k = 0; k < 4; ++k) {
      const bool there = holds_cells && first + f < fields && k >= begin && k < begin + c.nx;
      value[f].cell[k] = there ? *(c.from.at(first + f, k - begin, y, z) + from) : 0.0F;
    }
  }
  for (int f = 0; f < fields_at_once; ++f) {
    if (first + f < fields) write_once(c.to.at(first + f, 4 * end.half, y, z) + to, value[f]);
  }
}

HALOCLINE_BENCH_BOTH inline void cells(const Copy& c, std::uint32_t i, int first, int fields) {
  const std::uint32_t x = i % c.nx;
  const std::uint32_t row = i / c.nx;
  const std::uint32_t y = row % c.ny;
  const std::uint32_t z = row / c.ny;
  float value[fields_at_once] = {};
  for (int f = 0; f < fields_at_once; ++f) {
    if (first + f < fields) value[f] = *c.from.at(first + f, x, y, z);
  }
  for (int f = 0; f < fields_at_once; ++f) {
    if (first + f < fields) *c.to.at(first + f, x, y, z) = value[f];
  }
}

}  // namespace item

HALOCLINE_BENCH_BOTH inline void copy_item(const Copy& c, std::uint32_t i, int fields) {
  for (int first = 0; first < fields; first += fields_at_once) {
    switch (c.item) {
      case Item::quads: item::quads(c, i, first, fields); break;
      case Item::ends: item::ends(c, i, first, fields); break;
      case Item::rows_out: item::rows_out(c, i, first, fields); break;
      case Item::rows_in: item::rows_in(c, i, first, fields); break;
      case Item::cells: item::cells(c, i, first, fields); break;
    }
  }
}

/// Item `thread` of a tile of a job.
HALOCLINE_BENCH_BOTH inline void copy_of_tile(const Job& job, std::uint32_t tile, std::uint32_t thread) {
  int which = 0;
  while (which + 1 < job.copies && tile >= job.copy[which + 1].first_tile) ++which;
  const Copy& c = job.copy[which];
  const std::uint32_t i = (tile - c.first_tile) * items_a_tile + thread;
  if (i < c.items()) copy_item(c, i, job.fields);
}

}  // namespace halocline::bench
