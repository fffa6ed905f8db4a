#pragma once

#include <cstdint>

#include "device/cuda/copy_plan.hpp"

// How a block copies a tile.
namespace halocline::device::cuda {

/// Some units of a task, one in every block_threads for this thread. All loads are on their way before the first store.
/// Plain loads: what landed from elsewhere must not come from a cache that nobody keeps coherent.
/// gate() is called by all threads between the loads and the stores; where it is false, nothing is stored, and it is the
/// answer.
template <typename Unit, typename Gate>
__device__ bool copy_units(const CopyTask& task, std::uint32_t first, Gate&& gate) {
  Unit values[units_per_thread];
  Unit* targets[units_per_thread];
#pragma unroll
  for (std::uint32_t i = 0; i < units_per_thread; ++i) {
    const std::uint32_t unit = first + threadIdx.x + i * block_threads;
    targets[i] = nullptr;
    if (unit < task.units) {
      const UnitPlace place = place_of(task, unit);
      values[i] = *reinterpret_cast<const Unit*>(task.source + place.source);
      targets[i] = reinterpret_cast<Unit*>(task.target + place.target);
    }
  }
  if (!gate()) return false;
#pragma unroll
  for (std::uint32_t i = 0; i < units_per_thread; ++i) {
    if (targets[i] != nullptr) *targets[i] = values[i];
  }
  return true;
}

template <typename Gate>
__device__ bool copy_tile(const CopyTask& task, std::uint32_t first, Gate&& gate) {
  switch (task.unit_bytes) {
    case 16: return copy_units<uint4>(task, first, gate);
    case 8: return copy_units<uint2>(task, first, gate);
    case 4: return copy_units<std::uint32_t>(task, first, gate);
    case 2: return copy_units<std::uint16_t>(task, first, gate);
    default: return copy_units<std::uint8_t>(task, first, gate);
  }
}

}  // namespace halocline::device::cuda
