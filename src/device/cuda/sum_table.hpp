// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/cuda/sum_plan.hpp"

namespace halocline::device::cuda {

/// The sums of one element type in device memory.
struct SumTable {
  const SumTask* tasks = nullptr;
  const SumTerm* terms = nullptr;
  const SumTile* tiles = nullptr;
  std::uint32_t tile_count = 0;
  Element element = Element::f32;
};

}  // namespace halocline::device::cuda
