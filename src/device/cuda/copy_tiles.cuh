// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/cuda/tiling.hpp"

// How a block copies a tile.
namespace halocline::device::cuda {

/// What a thread keeps between tiles of one shape.
struct LaneInTiles {
  Lane lane;
  std::uint32_t step;
  std::int32_t source_step;  ///< in bytes; unused if no tile has more than one unit for each lane
  std::int32_t target_step;
  std::uint32_t access;  ///< see access_of()

  __device__ explicit LaneInTiles(const TileShape& shape)
      : lane(lane_of(shape, threadIdx.x)),
        step(shape.step),
        source_step(times(shape.source_stride[3], shape.step)),
        target_step(times(shape.target_stride[3], shape.step)),
        access(shape.conversion != 0 ? conversion_access(shape.conversion, shape.unit_bytes, shape.word_bytes)
                                     : access_of(shape.unit_bytes, shape.word_bytes, shape.units)) {}

  static __device__ std::int32_t times(std::int32_t stride, std::uint32_t step) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(stride) * step);
  }
  static constexpr std::uint32_t access_of(std::uint32_t unit_bytes, std::uint32_t word_bytes,
                                           std::uint32_t units = units_per_thread) {
    return (units * 32 + unit_bytes) * 32 + word_bytes;
  }
  /// Beyond all of access_of(). Of several numbers, the cells of a unit have widest_conversion bytes.
  static constexpr std::uint32_t conversion_access(std::uint32_t code, std::uint32_t unit_bytes,
                                                   std::uint32_t word_bytes) {
    const bool several = unit_bytes == widest_conversion || word_bytes == widest_conversion;
    return (1u << 14) + code * 2 + (several ? 1 : 0);
  }
};

/// Marks a value as undefined for the compiler. Otherwise threads that load no unit would keep the values of the previous tile.
template <typename Unit>
__device__ void forget(Unit& unit) {
  if constexpr (sizeof(Unit) == 16) {
    asm("" : "=r"(unit.x), "=r"(unit.y), "=r"(unit.z), "=r"(unit.w));
  } else if constexpr (sizeof(Unit) == 8) {
    asm("" : "=r"(unit.x), "=r"(unit.y));
  } else {
    unit = 0;
  }
}

/// Loads a unit word by word. With plain loads: data that other devices stored must not come from the non-coherent cache.
template <typename Unit, typename Word>
__device__ Unit load_unit(const std::byte* from) {
  constexpr std::uint32_t words = sizeof(Unit) / sizeof(Word);
  Word parts[words];
#pragma unroll
  for (std::uint32_t i = 0; i < words; ++i) parts[i] = reinterpret_cast<const Word*>(from)[i];
  Unit unit;
  memcpy(&unit, parts, sizeof unit);
  return unit;
}

/// Copies this thread's units of a tile. All loads are issued before the first store. All threads call gate() between loads and
/// stores; if it returns false, nothing is stored, and this returns false.
template <typename Unit, typename Word, std::uint32_t units = units_per_thread, typename Gate>
__device__ bool copy_units(const LaneInTiles& mine, const CopyTile& tile, Gate&& gate) {
  const std::uint32_t end = end_of_lane(tile, mine.lane);
  Unit values[units];
  const std::byte* from = tile.source + mine.lane.source;
#pragma unroll
  for (std::uint32_t i = 0; i < units; ++i) {
    forget(values[i]);
    if (mine.lane.first + i * mine.step < end) values[i] = load_unit<Unit, Word>(from);
    from += mine.source_step;
  }
  if (!gate()) return false;
  std::byte* to = tile.target + mine.lane.target;
#pragma unroll
  for (std::uint32_t i = 0; i < units; ++i) {
    if (mine.lane.first + i * mine.step < end) *reinterpret_cast<Unit*>(to) = values[i];
    to += mine.target_step;
  }
  return true;
}

/// Numbers that are loaded and stored as one access.
template <typename Number, std::uint32_t Count>
struct alignas(sizeof(Number) * Count) Numbers {
  Number of[Count];
};

/// The same as copy_units() for units of `Count` numbers that change their format.
template <typename Source, typename Narrow, typename Target, std::uint32_t Count, typename Gate>
__device__ bool convert_units(const LaneInTiles& mine, const CopyTile& tile, Gate&& gate) {
  const std::uint32_t end = end_of_lane(tile, mine.lane);
  Numbers<Source, Count> loaded[units_per_thread]{};
  const std::byte* from = tile.source + mine.lane.source;
#pragma unroll
  for (std::uint32_t i = 0; i < units_per_thread; ++i) {
    if (mine.lane.first + i * mine.step < end) {
      loaded[i] = *reinterpret_cast<const Numbers<Source, Count>*>(from);
    }
    from += mine.source_step;
  }
  Numbers<Target, Count> converted[units_per_thread];
#pragma unroll
  for (std::uint32_t i = 0; i < units_per_thread; ++i) {
#pragma unroll
    for (std::uint32_t k = 0; k < Count; ++k) {
      converted[i].of[k] = in_format<Target>(in_format<Narrow>(loaded[i].of[k]));
    }
  }
  if (!gate()) return false;
  std::byte* to = tile.target + mine.lane.target;
#pragma unroll
  for (std::uint32_t i = 0; i < units_per_thread; ++i) {
    if (mine.lane.first + i * mine.step < end) *reinterpret_cast<Numbers<Target, Count>*>(to) = converted[i];
    to += mine.target_step;
  }
  return true;
}

template <typename Gate>
__device__ bool convert_tile(const LaneInTiles& mine, const CopyTile& tile, Gate&& gate) {
  const std::uint32_t number = mine.access - LaneInTiles::conversion_access(0, 0, 0);
  const Conversion conversion = Conversion::of_code(static_cast<std::uint8_t>(number / 2));
  return with_formats(conversion, [&]<typename Source, typename Narrow, typename Target>() {
    using Cells = std::conditional_t<(sizeof(Source) > sizeof(Target)), Source, Target>;
    constexpr std::uint32_t several = widest_conversion / sizeof(Cells);
    return number % 2 == 1 ? convert_units<Source, Narrow, Target, several>(mine, tile, gate)
                           : convert_units<Source, Narrow, Target, 1>(mine, tile, gate);
  });
}

/// with_conversions: tiles of conversions are among them. Kernels without have fewer registers.
template <bool with_conversions, typename Gate>
__device__ bool copy_tile(const LaneInTiles& mine, const CopyTile& tile, Gate&& gate) {
  using Lanes = LaneInTiles;
  if constexpr (with_conversions) {
    if (mine.access >= LaneInTiles::conversion_access(0, 0, 0)) return convert_tile(mine, tile, gate);
  }
  switch (mine.access) {
    case Lanes::access_of(16, 16): return copy_units<uint4, uint4>(mine, tile, gate);
    case Lanes::access_of(16, 8): return copy_units<uint4, uint2>(mine, tile, gate);
    case Lanes::access_of(16, 4): return copy_units<uint4, std::uint32_t>(mine, tile, gate);
    case Lanes::access_of(8, 8): return copy_units<uint2, uint2>(mine, tile, gate);
    case Lanes::access_of(8, 4): return copy_units<uint2, std::uint32_t>(mine, tile, gate);
    case Lanes::access_of(4, 4): return copy_units<std::uint32_t, std::uint32_t>(mine, tile, gate);
    case Lanes::access_of(8, 8, most_units_per_thread):
      return copy_units<uint2, uint2, most_units_per_thread>(mine, tile, gate);
    case Lanes::access_of(4, 4, most_units_per_thread):
      return copy_units<std::uint32_t, std::uint32_t, most_units_per_thread>(mine, tile, gate);
    case Lanes::access_of(2, 2): return copy_units<std::uint16_t, std::uint16_t>(mine, tile, gate);
    default: return copy_units<std::uint8_t, std::uint8_t>(mine, tile, gate);
  }
}

/// The tiles of a block after its first one: first + stride, first + 2 * stride, ... below end.
struct StridedTiles {
  const CopyTile* tiles;
  std::uint32_t at;  ///< the next tile
  std::uint32_t end;
  std::uint32_t stride;
  CopyTile loaded{};

  /// Before a tile is copied: the next one is loaded meanwhile.
  __device__ void prepare() {
    if (at < end) loaded = tiles[at];
  }
  /// Behind it: the next one. Returns false if there is none.
  __device__ bool next(CopyTile& tile) {
    if (at >= end) return false;
    tile = loaded;
    at += stride;
    return true;
  }
};

/// Copies `tile` and what `rest` has after it (see StridedTiles). Returns false if a gate did.
template <bool with_conversions, typename Tiles, typename Gate>
__device__ bool copy_tiles(const TileShape& shape, const TileShape* shapes, CopyTile tile, Tiles rest, Gate&& gate) {
  LaneInTiles mine(shape);
  while (true) {
    rest.prepare();
    if (!copy_tile<with_conversions>(mine, tile, gate)) return false;
    const std::uint32_t before = tile.shape;
    if (!rest.next(tile)) return true;
    if (tile.shape != before) mine = LaneInTiles(shapes[tile.shape]);
  }
}

}  // namespace halocline::device::cuda
