#pragma once

#include <cstdint>

#include "device/cuda/copy_plan.hpp"

// How a block copies a tile.
namespace halocline::device::cuda {

/// A unit, loaded word by word. Plain loads: what landed from elsewhere must not come from a cache that nobody keeps coherent.
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

/// Some units of a task, one in every block_threads for this thread. All loads are on their way before the first store.
/// gate() is called by all threads between the loads and the stores; where it is false, nothing is stored, and it is the
/// answer.
template <typename Unit, typename Word, typename Gate>
__device__ bool copy_units(const CopyTask& task, std::uint32_t first, Gate&& gate) {
  Unit values[units_per_thread];
  std::int32_t targets[units_per_thread];
#pragma unroll
  for (std::uint32_t i = 0; i < units_per_thread; ++i) {
    const std::uint32_t unit = first + threadIdx.x + i * block_threads;
    if (unit < task.units) {
      const UnitPlace place = place_of(task, unit);
      values[i] = load_unit<Unit, Word>(task.source + place.source);
      targets[i] = place.target;
    }
  }
  if (!gate()) return false;
#pragma unroll
  for (std::uint32_t i = 0; i < units_per_thread; ++i) {
    if (first + threadIdx.x + i * block_threads < task.units) {
      *reinterpret_cast<Unit*>(task.target + targets[i]) = values[i];
    }
  }
  return true;
}

template <typename Gate>
__device__ bool copy_tile(const CopyTask& in_memory, std::uint32_t first, Gate&& gate) {
  // Registers for the whole tile: read where it is used, it would be read for every unit, one member after another.
  const CopyTask task = in_memory;
  switch (task.unit_bytes) {
    case 16:
      switch (task.word_bytes) {
        case 16: return copy_units<uint4, uint4>(task, first, gate);
        case 8: return copy_units<uint4, uint2>(task, first, gate);
        default: return copy_units<uint4, std::uint32_t>(task, first, gate);
      }
    case 8:
      return task.word_bytes == 8 ? copy_units<uint2, uint2>(task, first, gate)
                                  : copy_units<uint2, std::uint32_t>(task, first, gate);
    case 4: return copy_units<std::uint32_t, std::uint32_t>(task, first, gate);
    case 2: return copy_units<std::uint16_t, std::uint16_t>(task, first, gate);
    default: return copy_units<std::uint8_t, std::uint8_t>(task, first, gate);
  }
}

}  // namespace halocline::device::cuda
